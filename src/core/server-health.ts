import type { ErrorCode, LongshoreError } from './errors.ts';
import { isJsonObject } from './json.ts';
import type { ServerFacts, ServerLife } from './server-life.ts';

/** The words for how a server is, the same in CLI, REST and page. */
export type HealthState =
  | 'stopped'
  | 'unloaded'
  | 'starting'
  | 'connected'
  | 'degraded'
  | 'needs-login'
  | 'needs-secret'
  | 'needs-approval'
  | 'restarting'
  | 'crash-loop'
  | 'unreachable'
  | 'failed'
  | 'stopping'
  | 'close-failed'
  | 'disabled';

/** What the person can do next. */
export interface HealthAction {
  /** A few words for a button. */
  readonly label: string;
  /** The command line that does it; absent where it is done outside Longshore. */
  readonly command?: string;
}

/** How a server is: a word, one sentence, and one thing to do. */
export interface ServerHealth {
  readonly state: HealthState;
  /** May hold text of the server itself: edges make control characters harmless. */
  readonly sentence: string;
  readonly action: HealthAction;
  /** True if it does not work as it should until the person does something. */
  readonly needsAttention: boolean;
}

/** How a server is, from what is known of it at `now` (milliseconds since 1970). */
export function serverHealth(facts: ServerFacts, now: number): ServerHealth {
  const { life, serverKey: key } = facts;
  switch (life.name) {
    case 'stopped':
      return facts.enabled
        ? calm('stopped', 'It is asleep; its first call starts it.', 'Start', `longshore load ${key}`)
        : calm('disabled', 'It is switched off and is not started.', 'Enable', `longshore enable ${key}`);
    case 'unloaded':
      return calm('unloaded', 'It is saved, but not loaded: no call starts it.', 'Load', `longshore load ${key}`);
    case 'starting':
      return calm('starting', `It is starting: ${phaseText(life)}.`, 'Stop', `longshore unload ${key}`);
    case 'connected':
      return connected(facts);
    case 'closing':
      return calm('stopping', 'It is being stopped.', 'See all', 'longshore list');
    case 'failed':
      return failed(life.error, key);
    case 'restarting':
      return calm('restarting', restartText(life, now), 'Restart now', `longshore restart ${key}`);
    case 'crash-loop': {
      const sentence = `${whatHappened(life.error)}, too often, and is not started any more. ${life.error.message}`;
      return attention('crash-loop', sentence, 'Restart', `longshore restart ${key}`);
    }
    case 'close-failed':
      return attention('close-failed', life.error.message, 'Stop again', `longshore unload ${key}`);
  }
}

function connected({ serverKey: key, tools, shortcomings, changedTools }: ServerFacts): ServerHealth {
  if (changedTools.length > 0) {
    const names = changedTools.slice(0, 3).join(', ') + (changedTools.length > 3 ? ' …' : '');
    const sentence = `It has changed ${counted(changedTools.length, 'tool')} that you always allowed (${names}): calls ask again.`;
    return attention('needs-approval', sentence, 'Review', `longshore tools ${key}`);
  }
  if (shortcomings.length > 0) {
    const more = shortcomings.length > 1 ? ` (and ${shortcomings.length - 1} more)` : '';
    return attention('degraded', `It works in part: ${shortcomings[0]}${more}`, 'Reload', `longshore reload ${key}`);
  }
  return calm('connected', `It is connected and has ${counted(tools, 'tool')}.`, 'Tools', `longshore tools ${key}`);
}

/** Failures that have a word of their own; every other is `failed`. */
const states: Readonly<Partial<Record<ErrorCode, HealthState>>> = {
  'needs-login': 'needs-login',
  'unresolved-reference': 'needs-secret',
  'secret-unreadable': 'needs-secret',
  'docker-unavailable': 'unreachable',
  unreachable: 'unreachable',
  'connection-lost': 'unreachable',
  timeout: 'unreachable',
};

function failed(error: LongshoreError, key: string): ServerHealth {
  const state = states[error.code] ?? 'failed';
  const secret = missingSecret(error);
  const health = attention(state, error.message, 'Restart', `longshore restart ${key}`);
  if (state === 'needs-login') return needsLogin(error, key);
  if (state === 'needs-secret' && secret !== undefined) {
    return { ...health, action: { label: 'Set secret', command: `longshore secret set ${secret}` } };
  }
  if (error.code === 'docker-unavailable') return { ...health, action: { label: 'Start Docker' } };
  return health;
}

/** Signing in for the person comes later; a credential in a header works today, and a secret keeps it out of the config. */
function needsLogin({ message }: LongshoreError, key: string): ServerHealth {
  const header = `--header 'Authorization=Bearer \${secret:${key}}'`;
  const sentence = `${message} Store a credential as the secret ${key}, then remove the server and add it again with ${header}.`;
  return attention('needs-login', sentence, 'Set secret', `longshore secret set ${key}`);
}

/** The first secret that an error says is missing; a missing variable has no command that sets it. */
function missingSecret(error: LongshoreError): string | undefined {
  const { secret, references } = error.data ?? {};
  if (typeof secret === 'string') return secret;
  const found = Array.isArray(references)
    ? references.find(reference => isJsonObject(reference) && reference['source'] === 'secret')
    : undefined;
  return isJsonObject(found) && typeof found['name'] === 'string' ? found['name'] : undefined;
}

const phases: Readonly<Record<string, string>> = {
  'looking-up': 'finding out what it needs',
  pulling: 'its image is being pulled',
  starting: 'its process is being started',
  probing: 'it is asked how it speaks',
  switching: 'it speaks HTTP and is started anew for that',
  'waiting-ready': 'its port does not answer yet',
  negotiating: 'the protocol is being agreed on',
  listing: 'its tools are being listed',
};

function phaseText({ phase, detail }: Extract<ServerLife, { name: 'starting' }>): string {
  return (phases[phase] ?? phase) + (detail === undefined ? '' : ` (${detail})`);
}

function restartText({ error, attempt, of, at }: Extract<ServerLife, { name: 'restarting' }>, now: number): string {
  const seconds = Math.max(0, Math.ceil((at - now) / 1000));
  return `${whatHappened(error)}; attempt ${attempt} of ${of} to start it again is in ${seconds} s. ${error.message}`;
}

/** Only a server that worked, or came up, can have ended by itself. */
function whatHappened({ code, data }: LongshoreError): string {
  if (code === 'timeout') return 'It did not start in time and was stopped';
  if (code === 'unreachable') return 'It cannot be reached';
  if (code === 'docker-failed') return 'Docker could not start it';
  return code === 'failed-to-start' && data?.['exit'] === undefined ? 'It did not start' : 'It ended by itself';
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function calm(state: HealthState, sentence: string, label: string, command: string): ServerHealth {
  return { state, sentence, action: { label, command }, needsAttention: false };
}

function attention(state: HealthState, sentence: string, label: string, command: string): ServerHealth {
  return { ...calm(state, sentence, label, command), needsAttention: true };
}
