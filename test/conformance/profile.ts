/** What one revision of the specification asks of a client, and how far we take part (R81). */
export interface Profile {
  readonly revision: '2025-11-25' | '2026-07-28';
  /** Scenarios that the revision requires and that need no OAuth. */
  readonly required: readonly string[];
  /** Scenarios that the harness runs without scoring them, which we pass and mean to keep passing. */
  readonly extra: readonly string[];
}

export const profiles: readonly Profile[] = [
  {
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
    revision: '2025-11-25',
    required: ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
    extra: ['json-schema-2020-12-preservation'],
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
