import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorTable, LongshoreError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { type HealthState, serverHealth } from './server-health.ts';
import type { ServerFacts, ServerLife } from './server-life.ts';

const now = 1_000_000;

function facts(life: ServerLife, changes: Partial<ServerFacts> = {}): ServerFacts {
  return { serverKey: 'notes', enabled: true, life, tools: 3, shortcomings: [], changedTools: [], ...changes };
}

function error(code: ErrorCode, data?: JsonObject): LongshoreError {
  return new LongshoreError(code, 'Its own words.', data && { data });
}

const lives: Record<ServerLife['name'], ServerLife> = {
  stopped: { name: 'stopped' },
  starting: { name: 'starting', phase: 'pulling', detail: 'layer 3 of 8' },
  connected: { name: 'connected' },
  closing: { name: 'closing' },
  failed: { name: 'failed', error: error('failed-to-start') },
  restarting: { name: 'restarting', error: error('connection-lost'), attempt: 2, of: 5, at: now + 3_200 },
  'crash-loop': { name: 'crash-loop', error: error('failed-to-start') },
  'close-failed': { name: 'close-failed', error: error('close-failed') },
};

describe("a server's health", () => {
  it.each<[string, ServerFacts, HealthState, string, string]>([
    ['asleep', facts(lives.stopped), 'stopped', 'its first call starts it', 'longshore load notes'],
    ['off', facts(lives.stopped, { enabled: false }), 'disabled', 'switched off', 'longshore enable notes'],
    ['pulling', facts(lives.starting), 'starting', 'image is being pulled (layer 3 of 8)', 'longshore unload notes'],
    ['well', facts(lives.connected), 'connected', 'has 3 tools.', 'longshore tools notes'],
    ['well with one', facts(lives.connected, { tools: 1 }), 'connected', 'has 1 tool.', 'longshore tools notes'],
    [
      'missing a list',
      facts(lives.connected, { shortcomings: ['Prompts failed.', 'More.'] }),
      'degraded',
      'Prompts failed. (and 1 more)',
      'longshore reload notes',
    ],
    [
      'other than it was allowed',
      facts(lives.connected, { shortcomings: ['Prompts failed.'], changedTools: ['a', 'b', 'c', 'd'] }),
      'needs-approval',
      '4 tools that you always allowed (a, b, c …)',
      'longshore tools notes',
    ],
    ['ending', facts(lives.closing), 'stopping', 'being stopped', 'longshore list'],
    ['broken', facts(lives.failed), 'failed', 'Its own words.', 'longshore restart notes'],
    [
      'coming back',
      facts(lives.restarting),
      'restarting',
      'attempt 2 of 5 to start it again is in 4 s',
      'longshore restart notes',
    ],
    [
      'given up',
      facts(lives['crash-loop']),
      'crash-loop',
      'not started any more. Its own words.',
      'longshore restart notes',
    ],
    ['left behind', facts(lives['close-failed']), 'close-failed', 'Its own words.', 'longshore unload notes'],
  ])('is one word, one sentence and one action: %s', (_, given, state, sentence, command) => {
    const health = serverHealth(given, now);
    expect(health.state).toBe(state);
    expect(health.sentence).toContain(sentence);
    expect(health.action.command).toBe(command);
  });

  it.each<[ErrorCode, JsonObject | undefined, HealthState, string | undefined]>([
    ['needs-login', undefined, 'needs-login', 'longshore secret set notes'],
    [
      'unresolved-reference',
      {
        references: [
          { source: 'env', name: 'HOST' },
          { source: 'secret', name: 'TOKEN' },
        ],
      },
      'needs-secret',
      'longshore secret set TOKEN',
    ],
    [
      'unresolved-reference',
      { references: [{ source: 'env', name: 'HOST' }] },
      'needs-secret',
      'longshore restart notes',
    ],
    ['unresolved-reference', undefined, 'needs-secret', 'longshore restart notes'],
    ['secret-unreadable', { secret: 'TOKEN' }, 'needs-secret', 'longshore secret set TOKEN'],
    ['secret-unreadable', { path: 'secrets.key' }, 'needs-secret', 'longshore restart notes'],
    ['docker-unavailable', undefined, 'unreachable', undefined],
    ['unreachable', undefined, 'unreachable', 'longshore restart notes'],
    ['timeout', undefined, 'unreachable', 'longshore restart notes'],
    ['command-not-found', undefined, 'failed', 'longshore restart notes'],
  ])('that failed with %s %j says what helps', (code, data, state, command) => {
    const health = serverHealth(facts({ name: 'failed', error: error(code, data) }), now);
    expect(health).toMatchObject({ state, sentence: expect.stringMatching(/^Its own words\./), needsAttention: true });
    expect(health.action.command).toBe(command);
  });

  it('is found for every error there is and every place a server of the fleet can be', () => {
    const everything = [
      ...Object.values(lives).map(life => facts(life)),
      ...Object.keys(errorTable).map(code => facts({ name: 'failed', error: error(code as ErrorCode) })),
    ];
    for (const one of everything) {
      const health = serverHealth(one, now);
      expect(health.sentence).toMatch(/^[A-Z].*[.)]$/);
      expect(health.action.label).toMatch(/^[A-Z][A-Za-z ]{2,12}$/);
    }
  });

  it('asks for attention exactly where nothing gets better by itself', () => {
    const calm = Object.values(lives).filter(life => !serverHealth(facts(life), now).needsAttention);
    expect(calm.map(life => life.name)).toEqual(['stopped', 'starting', 'connected', 'closing', 'restarting']);
  });

  it('counts no time backwards', () => {
    expect(serverHealth(facts(lives.restarting), now + 60_000).sentence).toContain('in 0 s');
  });
});
