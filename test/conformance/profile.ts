import type { Side } from './harness.ts';

/** What one revision of the specification asks of one side, and how far we take part (R81). */
export interface Profile {
  readonly side: Side;
  readonly revision: '2025-11-25' | '2026-07-28';
  /** Scenarios that the revision requires and that need no OAuth. */
  readonly required: readonly string[];
  /** Scenarios that the harness runs without scoring them, which we pass and mean to keep passing. */
  readonly extra: readonly string[];
}

/** What both revisions ask of a server. */
const ofEveryServer = [
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'server-sse-multiple-streams',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'dns-rebinding-protection',
];

/** What is asked of our connection code, as far as it needs no OAuth. */
export const clientProfiles: readonly Profile[] = [
  {
    side: 'client',
    revision: '2026-07-28',
    required: [
      'tools_call',
      'request-metadata',
      'sep-2322-client-request-state',
      'http-standard-headers',
      'http-custom-headers',
      'http-invalid-tool-headers',
      'json-schema-ref-no-deref',
    ],
    extra: ['json-schema-2020-12-preservation'],
  },
  {
    side: 'client',
    revision: '2025-11-25',
    required: ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
    extra: ['json-schema-2020-12-preservation'],
  },
];

/** What is asked of `/mcp`: all of it. */
export const serverProfiles: readonly Profile[] = [
  {
    side: 'server',
    revision: '2026-07-28',
    required: [
      ...ofEveryServer,
      'server-stateless',
      'sep-2164-resource-not-found',
      'caching',
      'input-required-result-basic-elicitation',
      'input-required-result-basic-sampling',
      'input-required-result-basic-list-roots',
      'input-required-result-request-state',
      'input-required-result-multiple-input-requests',
      'input-required-result-multi-round',
      'input-required-result-missing-input-response',
      'input-required-result-non-tool-request',
      'input-required-result-result-type',
      'input-required-result-unsupported-methods',
      'input-required-result-tampered-state',
      'input-required-result-capability-check',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
    ],
    extra: ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
  },
  {
    side: 'server',
    revision: '2025-11-25',
    required: [
      ...ofEveryServer,
      'server-initialize',
      'logging-set-level',
      'ping',
      'tools-call-with-logging',
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'resources-subscribe',
      'resources-unsubscribe',
    ],
    extra: ['server-session-lifecycle', 'json-schema-2020-12'],
  },
];

/** Scenarios that are known, were looked at, and are outside of the profile: OAuth (R83). */
export function isOutOfProfile(scenario: string): boolean {
  return scenario.startsWith('auth/');
}

/** Checks that may be skipped (R82), by scenario and name: capabilities that we do not offer, and what 2026-07-28 no longer has. */
export const allowedSkips: Readonly<Record<string, readonly string[]>> = {
  'request-metadata': ['ClientDeclaresRootsCapability', 'ClientDeclaresSamplingCapability'],
  'http-standard-headers': ['ClientMcpMethodHeader_initialize', 'ClientMcpMethodHeader_notifications_initialized'],
};
