const placeholder = new RegExp(
  `^(?:${[
    '',
    '<[^<>]*>',
    '\\{[^{}]*\\}',
    '\\[[^\\[\\]]*\\]',
    '\\*{3,}',
    'x{3,}',
    '\\.{2,}|…',
    'your[-_ ].*',
    'my[-_ ](?:api|access|secret)?[-_ ]?(?:key|token|secret|password)',
    '.*[-_ ](?:goes[-_ ])?here',
    '(?:replace|insert|enter|paste|add|put|change)[-_ ]?(?:me|this|your|with|the)\\b.*|changeme|replace[-_]me.*',
    'todo|tbd|placeholder|redacted',
  ].join('|')})$`,
  'i',
);

/** True for what stands where a value is still to be filled in: `YOUR_TOKEN`, `<key>`, `{secret}`, nothing. */
export function isPlaceholder(text: string): boolean {
  return placeholder.test(text.trim().replace(/^(?:bearer|basic|token)\b\s*/i, ''));
}
