import type { Authorise } from '../../core/authorisation.ts';
import type { CallerScope } from '../../core/caller-scope.ts';
import { asLongshoreError, LongshoreError } from '../../core/errors.ts';
import { type AgentId, newDispatchId } from '../../core/ids.ts';
import type { Caller, Handle } from '../../core/words.ts';
import { received } from '../../schema/argument-snapshot.ts';
import type { Call, Fleet } from './call.ts';
import { callRecord } from './call-record.ts';
import { type DispatchDeps, decide, resolve } from './dispatcher.ts';

/** Who wants to hear of changes of which resource. */
export interface SubscriptionRequest {
  readonly agentId: AgentId;
  readonly caller: Caller;
  readonly scope: () => CallerScope;
  /** The resource, or the template that the URI fits. */
  readonly handle: Handle;
  /** As its server knows it. */
  readonly uri: string;
}

/** Subscriptions: a handle's use like a read, decided by the same rules, recorded, and ended when those change. */
export interface GovernedSubscriptions {
  /**
   * Hears of changes until disposed. Nobody is asked: a level of ask refuses, naming the way to allow it. `onEnded` is
   * called when a rule or the token's scope allows it no more. Rejects with `denied`, `unknown-tool`, `cannot-record`, or
   * as waking and the server do.
   */
  subscribe(request: SubscriptionRequest, signal: AbortSignal, onEnded: () => void): Promise<AsyncDisposable>;
  /** Looks again at what is open, because the reach of a token has changed; rules are looked at by themselves. */
  recheck(): void;
}

/** The fleet as subscriptions need it. */
export interface SubscribingFleet extends Fleet {
  subscribe(
    agentId: AgentId,
    key: Handle['ownerKey'],
    wanted: { readonly uri: string; readonly authorise: Authorise; readonly signal: AbortSignal },
  ): Promise<AsyncDisposable>;
}

/** See `GovernedSubscriptions`. */
export function governedSubscriptions(
  needs: DispatchDeps & { readonly fleet: Pick<SubscribingFleet, 'subscribe'> },
): GovernedSubscriptions {
  const open = new Map<object, { readonly isAllowed: () => boolean; end(): void }>();

  function recheck(): void {
    for (const one of [...open.values()]) if (!one.isAllowed()) one.end();
  }
  needs.rules.onChanged(recheck);

  return {
    recheck,
    async subscribe(request, signal, onEnded) {
      const { agentId, caller, scope, handle, uri } = request;
      const call: Call = { agentId, caller, scope, handle, arguments: handle.kind === 'template' ? { uri } : {} };
      const dispatchId = newDispatchId(needs.clock.now(), needs.randomId);
      const record = callRecord({ audit: needs.audit, now: () => needs.clock.now() }, dispatchId, call);
      try {
        const named = resolve(needs, call, call.arguments);
        record.about(named, received({ ...call.arguments, subscribe: true }));
        const ruleId = mustBeAllowed(needs, named, call, uri);
        await record.authorise({ decision: 'auto_allowed', ruleId }, {});
        record.sent();
        // Asked again for each connection of its server: what is not allowed any more is not subscribed to again.
        const authorise: Authorise = epoch => {
          mustBeAllowed(needs, named, call, uri);
          const operation = { agentId, caller, epoch, wireName: uri, arguments: {}, definition: named.definition };
          return needs.mint({ ...operation, method: 'resources/subscribe' });
        };
        const subscription = await needs.fleet.subscribe(agentId, named.ownerKey, { uri, authorise, signal });
        record.returned({});
        const key = {};
        const close = async (): Promise<void> => {
          open.delete(key);
          await subscription[Symbol.asyncDispose]();
        };
        open.set(key, {
          isAllowed: () => isAllowed(needs, named, call),
          end() {
            onEnded();
            // What the server says to that is nobody's to wait for.
            void close().catch(() => {});
          },
        });
        return { [Symbol.asyncDispose]: close };
      } catch (error) {
        const failure = asLongshoreError(error);
        record.failed(failure);
        throw failure;
      }
    },
  };
}

/** The rule that allows it. Throws `denied` for every other level: who subscribes does not wait for an answer. */
function mustBeAllowed(needs: DispatchDeps, handle: Handle, call: Call, uri: string) {
  const { level, rule } = decide(needs, handle, call, call.arguments);
  if (level === 'allow') return rule?.id;
  const pattern = `${handle.ownerKey}.${handle.kind === 'template' ? uri : handle.wireName}`;
  throw new LongshoreError(
    'denied',
    `${handle.handleName} was not subscribed to: it would ask, and a subscription is never asked about. Allow it with: longshore allow '${pattern}'`,
  );
}

function isAllowed(needs: DispatchDeps, handle: Handle, call: Call): boolean {
  try {
    return decide(needs, handle, call, call.arguments).level === 'allow';
  } catch {
    return false;
  }
}
