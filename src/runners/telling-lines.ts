/** What most programs begin the line with that says why they end: `ValueError: …`, `Error [CODE]: …`, `error: …`, `panic: …`. */
const reason =
  /^(?:Uncaught |npm (?:error|ERR!) |\[?(?:FATAL|ERROR|CRITICAL)\]?[:\s-]+)?(?:(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Failure|Fault)\b(?: \[\w+\])?:|Error(?: \[\w+\])?:|(?:error|fatal|panic|failed|fatal error)\b(?:\[\w+\])?:|×|Cannot find module|Error response from daemon|thread '.*' panicked|npm (?:error|ERR!) \S|\[?(?:FATAL|ERROR|CRITICAL)\]?[:\s-]+\S)/;
/** What says the same in other words. */
const complaint =
  /\b(?:missing|required|must (?:be )?(?:set|provide)|not set|not found|no such|denied|refused|unauthori[sz]ed|forbidden|invalid|cannot|could not|can't|unable to|failed|expired)\b/i;
const stack = /^\s+at .+|^\s*File ".+", line \d+|^Node\.js v\d|^\s*\^+\s*$|^\s*~*\^+~*\s*$/;

/** A line without the frame that Python draws around the parts of an ExceptionGroup. */
function bare(line: string): string {
  return line
    .replace(/^(?:\s*[|+])*(?:[-+]+(?: \d+ )?-*)?\s*(?=\S|$)/, (frame: string) => (/[|+]/.test(frame) ? '' : frame))
    .trimEnd();
}

/** The one line that says best why a program ended; undefined where nothing was said. */
export function tellingLine(lines: readonly string[]): string | undefined {
  const said = lines.map(bare).filter(line => line.trim() !== '' && !/^[-+=_*#]+$/.test(line.trim()));
  return (
    said.findLast(line => reason.test(line.trim())) ??
    said.find(line => complaint.test(line) && !stack.test(line)) ??
    said.findLast(line => !stack.test(line)) ??
    said.at(-1)
  )?.trim();
}

/**
 * The lines that tell a person why a program ended, in their order, a gap shown as `…`: the first and the last reason,
 * the first line after the last blank one (a usage text comes before or after the reason), and the last lines.
 */
export function tellingLines(lines: readonly string[], last = 3): readonly string[] {
  const chosen = new Set<number>();
  const reasons = lines.flatMap((line, index) => (reason.test(bare(line).trim()) ? [index] : []));
  const complaints = lines.findIndex(line => complaint.test(line) && !stack.test(line));
  for (const index of [reasons[0], reasons.at(-1), reasons.length === 0 && complaints >= 0 ? complaints : undefined]) {
    if (index !== undefined) chosen.add(index);
  }
  const lastBlank = lines.findLastIndex(line => line.trim() === '');
  if (lastBlank >= 0 && lastBlank < lines.length - 1) chosen.add(lastBlank + 1);
  const tail = reasons.length > 0 && isStack(lines.slice(-last)) ? 0 : last;
  for (let index = Math.max(0, lines.length - tail); index < lines.length; index++) chosen.add(index);
  const ordered = [...chosen].sort((a, b) => a - b).filter(index => bare(lines[index] ?? '').trim() !== '');
  return ordered.flatMap((index, at) => {
    const line = bare(lines[index] ?? '');
    return at > 0 && index - (ordered[at - 1] ?? 0) > 1 ? ['…', line] : [line];
  });
}

/** True for lines of which none says more than where it happened. */
function isStack(lines: readonly string[]): boolean {
  return lines.every(line => line.trim() === '' || stack.test(line));
}

const hopeless =
  /Cannot find (?:module|package)|ModuleNotFoundError|ImportError|No module named|No solution found|not found in the package registry|\bE404\b|404 Not Found - GET|unrecognized arguments?|unknown (?:option|argument|flag)|^usage:|SyntaxError:|(?:api[ _-]?key|token|credentials?|environment variable|env(?:ironment)? var)[^\n]{0,60}(?:missing|required|not set|must|invalid)|(?:missing|required|set|provide|invalid)[^\n]{0,60}(?:api[ _-]?key|token|credentials?|environment variable)/im;

/** True for what a program says that will say the same however often it is started. */
export function isHopeless(lines: readonly string[]): boolean {
  return hopeless.test(lines.join('\n'));
}
