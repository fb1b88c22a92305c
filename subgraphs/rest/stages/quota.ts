import { CodedError } from '../../../kernel/errors.js';
import type { ServiceName } from '../../../kernel/services.js';
import type { QuotaLeft } from '../../../kernel/trace.js';
import { type Call, isBackground, requesterOf, type Stage, weightOf } from '../call.js';
import { deadlineExceeded } from '../failures.js';
import { type Clock, endingIn } from '../ports/ports.js';
import { quotaOf, type Refusal, readRefusal, TransportFailure } from '../ports/transport.js';
import { FairQueue, type Requester } from '../quota/fair-queue.js';
import type { QuotaLedger, ScopeLog } from '../quota/ledger.js';
import {
  CALL_CLASSES,
  type CallClass,
  callId,
  countedOf,
  headroomOf,
  isOfKey,
  labelOf,
  type PermitScope,
  type QuotaScope,
} from '../quota/scopes.js';
import { isWrite, LIGHT_ROWS } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** After this, the calls of all keys known now have stopped counting. */
const MINUTE_MS = 60_000;
/** A call that has its permits waits no longer than this for its quota. */
const UNSENT_MS = 2000;

/**
 * Admits a call when every counter that it falls under has room. A call waits its turn, and is refused immediately if
 * that would come too late: a burst never causes a refusal that our own count or a header could foresee.
 *
 * Slow calls and large lists need permits before that: a service answers them one after the other, and goes on with those
 * that were given up. So such a call is not begun if it cannot end in time, and an abandoned one keeps its permits as
 * long as its rows take (reliability 3.1).
 */
export function quota(parts: ServiceParts): Stage {
  const { service, dialect, operatorKey, accountOf, namespace, ledger, clock, replica } = parts;
  let ids = 0;
  const newId = (callClass: CallClass) => {
    ids += 1;
    // Unique among all processes that share the ledger.
    return callId(replica, ids, callClass);
  };
  const rateLimited = (message: string, retryInMs: number) =>
    new CodedError('RATE_LIMITED', message, { service, retryAfterSeconds: Math.max(1, Math.ceil(retryInMs / 1000)) });
  const refuse = (retryInMs: number, { kind }: QuotaScope, callClass: CallClass) =>
    rateLimited(reasonOf(service, kind, callClass, ledger.isLocalFallback), retryInMs);
  // A gate whose log the ledger has evicted still serves its waiting calls.
  const gates = new WeakMap<ScopeLog, Gate>();
  const gateOf = (scope: QuotaScope): Gate => {
    const log = ledger.open(scope);
    const gate = gates.get(log) ?? new Gate({ scope, log, ledger, clock, newId, refuse });
    gates.set(log, gate);
    return gate;
  };

  return (next) => async (call) => {
    const fingerprint = call.credential?.fingerprint ?? 'none';
    const isCallersKey = call.credential !== null && fingerprint !== operatorKey?.fingerprint;
    const account = accountOf(call.credential);
    const heavy = permitsFor(call);
    const scopes = [...heavy, ...(dialect.scopes?.(call.request, account) ?? [])].map((scope) => ({
      ...scope,
      name: `${namespace} ${scope.name}`,
      label: labelOf(scope, account),
      account: isOfKey(scope, account) ? account : null,
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
        const isHeld = heavy.length > 0 && scope.kind !== 'permits';
        const deadline = isHeld ? endingIn(UNSENT_MS, call.deadline, clock) : call.deadline;
        const waiter = { deadline, signal: call.signal, ...requesterOf(call) };
        permits.set(scope, await gateOf(scope).enter(classOf(call), scope, waiter));
      }
      if (call.deadline.remainingMs() <= 0) {
        // Of many callers who leave together, each is let go in a turn of its own.
        await new Promise<void>((resolve) => clock.soon(resolve, requesterOf(call).caller));
        throw deadlineExceeded(service, call.signal.reason);
      }
      call.trail.queuedMs += clock.monotonicMs() - queuedAtMs;
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

/** Concurrent slow calls: each keeps a processor of the service's database busy for seconds (volunteering 4.4). */
const SLOW: PermitScope = { kind: 'permits', name: 'slow', limit: 2, permits: 1, msPerPermit: 0 };
/**
 * Rows in flight of all calls for more than a hundred, of all replicas: a permit is for a hundred, which take 26 ms of
 * the service's only thread (volunteering 6).
 */
const ROWS = { kind: 'permits', name: 'rows', limit: 1000 / LIGHT_ROWS, msPerPermit: 26 } as const;

function permitsFor({ request: { rows = 1, cache } }: Call): readonly PermitScope[] {
  if (cache === 'slow') return [SLOW];
  return rows > LIGHT_ROWS ? [{ ...ROWS, permits: Math.ceil(rows / LIGHT_ROWS) }] : [];
}

function reasonOf(service: ServiceName, kind: QuotaScope['kind'], callClass: CallClass, isLocalFallback: boolean) {
  if (kind === 'permits')
    return `So many large lists are being read from ${service} that this one could not end in time.`;
  if (isLocalFallback)
    return `Redis is out of reach, and this process's share of the call quota of ${service} allows no call for now.`;
  return callClass === 'bulk'
    ? `Counts and whole lists have taken their half of what was left of the call quota of ${service}.`
    : `The call quota of ${service} is spent for now.`;
}

function classOf(call: Call): CallClass {
  if (isBackground(call)) return 'background';
  if (isWrite(call.request)) return 'write';
  return call.request.bulk === true ? 'bulk' : 'read';
}

/** Lands the call: its headers' figures go to the window, a refusal to the one scope that refused. */
function landAll(permits: ReadonlyMap<QuotaScope, Permit>, { trail }: Call, failure: unknown): void {
  // A proxy may give up before the service has done with it.
  const isAnswered = trail.head !== null && trail.head.status < 500;
  const refusal = readRefusal(trail.head, failure);
  // A refusal that names no time comes from a proxy, which limits the pace (work-study 4.2).
  const isNamed = refusal !== null && (refusal.resetSeconds !== null || refusal.retryAfterSeconds !== null);
  const scopes = [...permits.keys()];
  const refused = scopes.find(({ kind }) => kind === (isNamed ? 'window' : 'pace')) ?? scopes[0];
  for (const [scope, permit] of permits) {
    const reported = scope.kind === 'window' && trail.head !== null ? quotaOf(trail.head) : null;
    permit.land(reported, scope === refused ? refusal : null, isAnswered);
  }
}

/**
 * Charges each call to its request's allowance, a large list by its weight as soon as that is known; a call that joins
 * one in flight is free.
 */
export function allowance({ service }: ServiceParts): Stage {
  return (next) => async (call) => {
    const { allowance: allowed } = call.operation;
    if (allowed?.take() === false) throw allMade(service);
    const response = next(call);
    if (call.trail.cache !== 'COALESCED')
      return response.finally(() => allowed?.spend(call.trail.sent * weightOf(call) - 1));
    allowed?.giveBack();
    return response;
  };
}

function allMade(service: ServiceName): CodedError {
  const message =
    'This request has made all the upstream calls that it may. Select fewer items with `first`, or fewer joined fields; what was already fetched is cached.';
  return new CodedError('COST_EXCEEDED', message, { service });
}

/**
 * The right to send one call.
 *
 * A call waits at the gate of each of its scopes in turn, in the queue of its class (`CALL_CLASSES`), in which callers
 * take turns. Whenever something changes, the gate asks the ledger how many of the waiting calls may go
 * (`ScopeLog.take`), and each of them then
 *
 * - **is admitted** with a permit: it is sent, and `land` is called when it was answered or given up; or something
 *   behind the gate stopped it, and `drop` is called. Exactly one of the two;
 * - **is refused**, if it could go only after its deadline;
 * - **waits**: the gate wakes when a call lands or time alone makes room.
 *
 * While a call of a class waits, the classes after it are not served.
 */
interface Permit {
  /** The call was sent, and has been answered or never will be. */
  land(quota: QuotaLeft | null, refusal: Refusal | null, isAnswered: boolean): void;
  /** The call was not sent after all. */
  drop(): void;
}

/** A call that wants a permit. */
type Waiter = Requester & Pick<Call, 'deadline' | 'signal'>;

/** What a gate needs. */
interface GateOptions {
  readonly scope: QuotaScope;
  readonly log: ScopeLog;
  readonly ledger: QuotaLedger;
  readonly clock: Clock;
  readonly newId: (callClass: CallClass) => string;
  /** The error of a call whose turn would come too late. */
  readonly refuse: (retryInMs: number, scope: QuotaScope, callClass: CallClass) => CodedError;
}

interface Waiting extends Pick<Waiter, 'caller' | 'deadline'> {
  /** Of its entries in the log: one, or one for each permit. */
  readonly ids: readonly string[];
  /** Milliseconds for which the service works on it, if the scope says. */
  readonly takesMs: number;
  readonly admit: (permit: Permit) => void;
  readonly reject: (reason: unknown) => void;
}

/** A refusal that names no time blocks its scope for this long, doubling with each refusal in a row. */
const UNNAMED_MS = 1000;
const MAX_BLOCK_MS = 60_000;
/** However patient callers are, no more calls wait than the next two windows let through. */
const MAX_WAIT_MS = 150_000;
/** Calls of other replicas land without notice, so the log is read again this often. */
const LOOK_AGAIN_MS = 25;
/** Local fallback may end at any heartbeat, when more can be granted. */
const LOOK_AGAIN_LOCAL_MS = 400;

/** The entrance to one scope: which calls wait, and in which order they go. */
class Gate {
  private readonly options: GateOptions;
  /** A queue is served only while no class of higher priority has waiting calls. */
  private readonly queues: Readonly<Record<CallClass, FairQueue<Waiting>>> = {
    write: new FairQueue(),
    read: new FairQueue(),
    bulk: new FairQueue(),
    background: new FairQueue(),
  };
  private serving = false;
  private again = false;
  private cancel = () => {};
  private refusalsInARow = 0;

  constructor(options: GateOptions) {
    this.options = options;
  }

  /**
   * A permit, as soon as it is this call's turn. Rejects as soon as the turn would come after the call's deadline, and
   * when the signal aborts.
   */
  async enter(callClass: CallClass, scope: QuotaScope, waiter: Waiter): Promise<Permit> {
    const { caller, deadline, signal } = waiter;
    const aborted = () => new TransportFailure('aborted', signal.reason);
    if (signal.aborted) throw aborted();
    const { permits, msPerPermit } = scope.kind === 'permits' ? scope : { permits: 1, msPerPermit: 0 };
    const ids = Array.from({ length: permits }, () => this.options.newId(callClass));
    const queue = this.queues[callClass];
    let leave = () => {};
    const permit = new Promise<Permit>((admit, reject) => {
      const waiting: Waiting = { ids, takesMs: permits * msPerPermit, caller, deadline, admit, reject };
      leave = () => {
        queue.remove(waiting);
        reject(aborted());
        this.wake();
      };
      queue.push(waiting, waiter);
    });
    signal.addEventListener('abort', leave, { once: true });
    this.wake();
    return permit.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Serves what can be served now. Calls that arrive while the log is read are served afterwards. */
  private wake(): void {
    this.again = true;
    if (!this.serving) void this.serveAll();
  }

  private async serveAll(): Promise<void> {
    this.serving = true;
    while (this.again) {
      this.again = false;
      this.cancel();
      for (const callClass of CALL_CLASSES) {
        const nextInMs = await this.serve(this.queues[callClass], callClass);
        if (nextInMs === null) continue;
        this.comeBack(nextInMs);
        break;
      }
    }
    this.serving = false;
  }

  /**
   * Admits calls of one class, and refuses those whose turn would come too late. Returns the milliseconds after which
   * the next may go even if nothing lands here; infinite when it depends on a landing, null when none is left.
   */
  private async serve(queue: FairQueue<Waiting>, callClass: CallClass): Promise<number | null> {
    const { scope, clock, refuse } = this.options;
    const { guardMs } = countedOf(scope);
    const late: Waiting[] = [];
    const refuseLate = (startsInMs: number) => {
      for (const call of late) {
        queue.remove(call);
        // A caller who retries exactly when the service allows it waits out the guard second in the queue.
        const retryInMs = Math.max(0, startsInMs - guardMs) + call.takesMs;
        // Much follows from each, and they may be thousands.
        clock.soon(() => call.reject(refuse(retryInMs, scope, callClass)), call.caller);
      }
    };
    const all = queue.items();
    late.push(...all.filter((call) => call.takesMs > 0 && patienceOf(call) < 0));
    const calls = all.filter((call) => !late.includes(call));
    if (calls.length === 0) {
      refuseLate(0);
      return null;
    }
    const leaseMs = Math.max(...calls.map(({ deadline }) => deadline.remainingMs()));
    const headroom = headroomOf(scope, callClass);
    const grant = await this.options.log.take({ calls: calls.map(({ ids }) => ids), leaseMs, headroom });
    let ahead = 0;
    for (const [place, call] of calls.entries()) {
      const isGone = !queue.has(call);
      if (place < grant.granted) {
        queue.serve(call);
        if (isGone) void this.options.log.drop(call.ids);
        else call.admit(this.permitOf(call));
      } else if (!isGone && grant.startsInMs(ahead) > patienceOf(call)) late.push(call);
      else if (!isGone) ahead += call.ids.length;
    }
    // They may come back behind those who stay.
    refuseLate(grant.startsInMs(ahead));
    if (ahead === 0) return null;
    const { isShared, isLocalFallback } = this.options.ledger;
    const startsInMs = scope.kind === 'permits' ? 0 : grant.startsInMs(0);
    if (startsInMs > 0) return isLocalFallback ? Math.min(startsInMs, LOOK_AGAIN_LOCAL_MS) : startsInMs;
    // It waits for a landing; those of other replicas come without notice.
    if (!isShared) return grant.resumesInMs;
    return isLocalFallback ? LOOK_AGAIN_LOCAL_MS : LOOK_AGAIN_MS;
  }

  /** Wakes when time alone lets a call go. A landing of our own wakes the gate anyway. */
  private comeBack(inMs: number): void {
    const { clock } = this.options;
    this.cancel = Number.isFinite(inMs) ? clock.after(Math.max(1, inMs), () => this.wake()) : () => {};
  }

  private permitOf({ ids, takesMs }: Waiting): Permit {
    const wakeIfWaiting = () => {
      if (Object.values(this.queues).some(({ size }) => size > 0)) this.wake();
    };
    // Calls in flight together meet the same refusal: only a call sent after it can count as refused again.
    const refusedBefore = this.refusalsInARow;
    return {
      land: (quota, refusal, isAnswered) => {
        this.refusalsInARow = refusal === null ? 0 : refusedBefore + 1;
        const blockMs = refusal === null ? null : blockMsOf(refusal, this.refusalsInARow);
        const keepMs = isAnswered ? 0 : takesMs;
        void this.options.log.land({ ids, quota, blockMs, keepMs }).finally(wakeIfWaiting);
      },
      drop: () => void this.options.log.drop(ids).finally(wakeIfWaiting),
    };
  }
}

/** Milliseconds for which it makes sense to wait. */
function patienceOf({ deadline, takesMs }: Waiting): number {
  return Math.min(deadline.remainingMs() - takesMs, MAX_WAIT_MS);
}

/**
 * Milliseconds for which every call of the scope waits. The waste platform's `retry-after` is always a whole window, so
 * an earlier reset is tried first; if that proves wrong, `retry-after` is obeyed (waste-identity 8).
 */
function blockMsOf({ resetSeconds, retryAfterSeconds }: Refusal, refusalsInARow: number): number {
  const named = [resetSeconds, retryAfterSeconds].filter((seconds) => seconds !== null);
  if (named.length === 0) return Math.min(MAX_BLOCK_MS, UNNAMED_MS * 2 ** (refusalsInARow - 1));
  return 1000 * (refusalsInARow === 1 ? Math.min(...named) : Math.max(...named));
}
