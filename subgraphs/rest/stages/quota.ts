import { CodedError } from '../../../kernel/errors.js';
import type { ServiceName } from '../../../kernel/services.js';
import { type Call, isBackground, type Stage, turnOf } from '../call.js';
import { quotaOf, type Refusal, readRefusal } from '../ports/response-headers.js';
import { type CallClass, isOfKey, type QuotaScope } from '../quota/account.js';
import { createGates, type Permit, type Waiter } from '../quota/gate.js';
import { isWrite } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** After this, the calls of all keys known now have stopped counting. */
const MINUTE_MS = 60_000;

/**
 * Admits a call when every counter that it falls under has room. A call waits its turn, and is refused immediately if
 * that would come too late: a burst never causes a refusal that our own count or a header could foresee.
 */
export function quota(parts: ServiceParts): Stage {
  const { service, dialect, operatorKey, operatorAccount, namespace, ledger, clock, replica } = parts;
  let ids = 0;
  const newId = () => {
    ids += 1;
    // Unique among all processes that share the ledger.
    return `${replica}.${ids.toString(36)}`;
  };
  const rateLimited = (message: string, retryInMs: number) =>
    new CodedError('RATE_LIMITED', message, { service, retryAfterSeconds: Math.max(1, Math.ceil(retryInMs / 1000)) });
  const refuse = (retryInMs: number) =>
    rateLimited(
      ledger.isLocalFallback
        ? `Redis is out of reach, and this process's share of the call quota of ${service} allows no call for now.`
        : `The call quota of ${service} is spent for now.`,
      retryInMs,
    );
  const gates = createGates({ ledger, clock, newId, refuse });

  return (next) => async (call) => {
    const fingerprint = call.credential?.fingerprint ?? 'none';
    const isOperators = fingerprint === operatorKey?.fingerprint;
    const isCallersKey = call.credential !== null && !isOperators;
    const account = isOperators ? (operatorAccount ?? fingerprint) : fingerprint;
    const scopes = (dialect.scopes?.(call.request, account) ?? []).map((scope) => ({
      ...scope,
      name: `${namespace} ${scope.name}`,
    }));
    const permits = new Map<QuotaScope, Permit>();
    const sentBefore = call.trail.sent;
    const queuedAtMs = clock.monotonicMs();
    let failure: unknown;
    try {
      for (const scope of scopes) {
        if (isCallersKey && isOfKey(scope, fingerprint) && !ledger.hasRoomFor(scope)) {
          throw rateLimited(`Too many keys are in use at ${service} for one more.`, MINUTE_MS);
        }
        permits.set(scope, await gates.of(scope).enter(classOf(call), waiterOf(call)));
      }
      call.trail.queuedMs += clock.monotonicMs() - queuedAtMs;
      call.trail.left = Math.min(1, ...[...permits.values()].map(({ left }) => left));
      return await next(call);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      if (call.trail.sent > sentBefore) landAll(permits, call, failure);
      else for (const permit of permits.values()) permit.drop();
    }
  };
}

function waiterOf(call: Call): Waiter {
  return { deadline: call.deadline, signal: call.signal, ...turnOf(call) };
}

function classOf(call: Call): CallClass {
  if (isBackground(call)) return 'background';
  return isWrite(call.request) ? 'write' : 'read';
}

/** Lands the call: its headers' figures go to the window, a refusal to the one scope that refused. */
function landAll(permits: ReadonlyMap<QuotaScope, Permit>, { trail }: Call, failure: unknown): void {
  const refusal = readRefusal(trail.head, failure);
  const refused = refusal === null ? undefined : refusedScope([...permits.keys()], refusal);
  for (const [scope, permit] of permits) {
    const reported = scope.kind === 'window' && trail.head !== null ? quotaOf(trail.head) : null;
    permit.land(reported, scope === refused ? refusal : null);
  }
}

/** A refusal that names no time comes from a proxy, which limits the pace (work-study 4.2). */
function refusedScope(scopes: readonly QuotaScope[], { resetMs, retryAfterMs }: Refusal): QuotaScope | undefined {
  const isNamed = resetMs !== null || retryAfterMs !== null;
  return scopes.find(({ kind }) => kind === (isNamed ? 'window' : 'pace')) ?? scopes[0];
}

/** Charges each call to its request's allowance; a call that joins one in flight is free. */
export function allowance({ service }: ServiceParts): Stage {
  return (next) => async (call) => {
    const { allowance: allowed } = call.operation;
    if (allowed?.take() === false) throw allMade(service);
    const response = next(call);
    if (call.trail.cache === 'COALESCED') allowed?.giveBack();
    return response;
  };
}

function allMade(service: ServiceName): CodedError {
  const message =
    'This request has made all the upstream calls that it may. Select fewer items with `first`, or fewer joined fields; what was already fetched is cached.';
  return new CodedError('COST_EXCEEDED', message, { service });
}
