import { CodedError } from '../../../kernel/errors.js';
import type { Deadline } from '../../../kernel/operation.js';
import type { ServiceName } from '../../../kernel/services.js';
import type { QuotaLeft } from '../../../kernel/trace.js';
import { type Call, isBackground, type Stage, turnOf, weightOf } from '../call.js';
import type { Clock } from '../ports/ports.js';
import { quotaOf, type Refusal, readRefusal, TransportFailure } from '../ports/transport.js';
import {
  type Account,
  CALL_CLASSES,
  type CallClass,
  callId,
  headroomOf,
  isOfKey,
  type QuotaScope,
} from '../quota/account.js';
import { FairQueue, type TurnOf } from '../quota/fair-queue.js';
import type { QuotaLedger } from '../quota/ledger.js';
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
  const newId = (callClass: CallClass) => {
    ids += 1;
    // Unique among all processes that share the ledger.
    return callId(replica, ids, callClass);
  };
  const rateLimited = (message: string, retryInMs: number) =>
    new CodedError('RATE_LIMITED', message, { service, retryAfterSeconds: Math.max(1, Math.ceil(retryInMs / 1000)) });
  const refuse = (retryInMs: number, callClass: CallClass) => {
    const spent =
      callClass === 'bulk'
        ? `Counts and whole lists have taken their half of what was left of the call quota of ${service}.`
        : `The call quota of ${service} is spent for now.`;
    return rateLimited(
      ledger.isLocalFallback
        ? `Redis is out of reach, and this process's share of the call quota of ${service} allows no call for now.`
        : spent,
      retryInMs,
    );
  };
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
  if (isWrite(call.request)) return 'write';
  return call.request.bulk === true ? 'bulk' : 'read';
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
 * take turns. Whenever something changes, the gate asks the account how many of the waiting calls may go
 * (`Account.take`), and each waiting call then
 *
 * - **is admitted** with a permit: it is sent, and `land` is called when it was answered or given up; or something
 *   behind the gate stopped it, and `drop` is called. Exactly one of the two;
 * - **is refused**, if it could go only after its deadline;
 * - **waits**, with a place reserved if there is one: the gate wakes when a call lands or time alone makes room.
 *
 * While a call of a class waits, the classes after it are not served, and give their reservations back.
 */
interface Permit {
  /** Fraction of the window, from 0 to 1, that was free when the permit was granted. */
  readonly left: number;
  /** The call was sent, and has been answered or never will be. */
  land(quota: QuotaLeft | null, refusal: Refusal | null): void;
  /** The call was not sent after all. */
  drop(): void;
}

/** A call that wants a permit. */
interface Waiter extends TurnOf {
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/** What the gates of a service share. */
interface GateOptions {
  readonly ledger: QuotaLedger;
  readonly clock: Clock;
  readonly newId: (callClass: CallClass) => string;
  /** The error of a call whose turn would come too late. */
  readonly refuse: (retryInMs: number, callClass: CallClass) => CodedError;
}

interface Waiting {
  readonly id: string;
  readonly deadline: Deadline;
  isReserved: boolean;
  readonly admit: (permit: Permit) => void;
  readonly reject: (reason: unknown) => void;
}

/** A refusal that names no time blocks its scope for this long, doubling with each refusal in a row. */
const UNNAMED_MS = 1000;
const MAX_BLOCK_MS = 60_000;
/** However patient callers are, no more calls wait than the next two windows let through. */
const MAX_WAIT_MS = 150_000;
/** Calls of other replicas land without notice, so the account is read again this often. */
const LOOK_AGAIN_MS = 25;
/** Local fallback may end at any heartbeat, when more can be granted. */
const LOOK_AGAIN_LOCAL_MS = 400;

/** The gate of each scope. A gate whose account the ledger has evicted still serves its waiting calls. */
function createGates(options: GateOptions) {
  const gates = new WeakMap<Account, Gate>();
  return {
    of(scope: QuotaScope): Gate {
      const account = options.ledger.open(scope);
      const gate = gates.get(account) ?? new Gate(scope, account, options);
      gates.set(account, gate);
      return gate;
    },
  };
}

/** The entrance to one scope: which calls wait, and in which order they go. */
class Gate {
  private readonly scope: QuotaScope;
  private readonly account: Account;
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

  constructor(scope: QuotaScope, account: Account, options: GateOptions) {
    this.scope = scope;
    this.account = account;
    this.options = options;
  }

  /**
   * A permit, as soon as it is this call's turn. Rejects as soon as the turn would come after the call's deadline, and
   * when the signal aborts.
   */
  async enter(callClass: CallClass, waiter: Waiter): Promise<Permit> {
    const { deadline, signal } = waiter;
    const aborted = () => new TransportFailure('aborted', signal.reason);
    if (signal.aborted) throw aborted();
    const queue = this.queues[callClass];
    let leave = () => {};
    const permit = new Promise<Permit>((admit, reject) => {
      const waiting: Waiting = { id: this.options.newId(callClass), deadline, isReserved: false, admit, reject };
      leave = () => {
        queue.remove(waiting);
        this.giveBack([waiting]);
        reject(aborted());
        this.wake();
      };
      queue.push(waiting, waiter);
    });
    signal.addEventListener('abort', leave, { once: true });
    this.wake();
    return permit.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Serves what can be served now. Calls that arrive while the account is read are served afterwards. */
  private wake(): void {
    this.again = true;
    if (!this.serving) void this.serveAll();
  }

  private async serveAll(): Promise<void> {
    this.serving = true;
    while (this.again) {
      this.again = false;
      this.cancel();
      let nextInMs: number | null = null;
      for (const callClass of CALL_CLASSES) {
        const queue = this.queues[callClass];
        if (nextInMs === null) nextInMs = await this.serve(queue, callClass);
        else this.giveBack(queue.items());
      }
      if (nextInMs !== null) this.comeBack(nextInMs);
    }
    this.serving = false;
  }

  /**
   * Admits calls of one class, and refuses those whose turn would come too late. Returns the milliseconds after which
   * the next may go even if nothing lands here; infinite when it depends on a landing, null when none is left.
   */
  private async serve(queue: FairQueue<Waiting>, callClass: CallClass): Promise<number | null> {
    const calls = queue.items();
    if (calls.length === 0) return null;
    const leaseMs = Math.max(...calls.map(({ deadline }) => deadline.remainingMs()));
    const headroom = headroomOf(this.scope, callClass);
    const grant = await this.account.take({ ids: calls.map(({ id }) => id), leaseMs, headroom });
    const refused: Waiting[] = [];
    const gone: Waiting[] = [];
    let ahead = 0;
    for (const [place, call] of calls.entries()) {
      const isGranted = place < grant.granted;
      call.isReserved = place < grant.granted + grant.reserved;
      if (!queue.has(call)) {
        // The caller left while the account was read.
        gone.push(call);
      } else if (isGranted) {
        call.isReserved = false;
        queue.serve(call);
        call.admit(this.permitOf(call.id, grant.left));
      } else if (grant.startsInMs(ahead) > patienceOf(call)) {
        queue.remove(call);
        refused.push(call);
      } else ahead += 1;
    }
    this.giveBack([...gone, ...refused]);
    for (const call of refused) call.reject(this.options.refuse(grant.retryInMs(ahead), callClass));
    if (ahead === 0) return null;
    const { isShared, isLocalFallback } = this.options.ledger;
    const startsInMs = grant.startsInMs(0);
    if (startsInMs > 0) return isLocalFallback ? Math.min(startsInMs, LOOK_AGAIN_LOCAL_MS) : startsInMs;
    // It waits for a landing; those of other replicas come without notice.
    if (!isShared) return grant.resumesInMs;
    return isLocalFallback ? LOOK_AGAIN_LOCAL_MS : LOOK_AGAIN_MS;
  }

  private giveBack(calls: readonly Waiting[]): void {
    const reserved = calls.filter(({ isReserved }) => isReserved);
    for (const call of reserved) call.isReserved = false;
    if (reserved.length > 0) void this.account.drop(reserved.map(({ id }) => id));
  }

  /** Wakes when time alone lets a call go. A landing of our own wakes the gate anyway. */
  private comeBack(inMs: number): void {
    const { clock } = this.options;
    this.cancel = Number.isFinite(inMs) ? clock.after(Math.max(1, inMs), () => this.wake()) : () => {};
  }

  private permitOf(id: string, left: number): Permit {
    const wakeIfWaiting = () => {
      if (Object.values(this.queues).some(({ size }) => size > 0)) this.wake();
    };
    // Calls in flight together meet the same refusal: only a call sent after it can count as refused again.
    const refusedBefore = this.refusalsInARow;
    return {
      left,
      land: (quota, refusal) => {
        this.refusalsInARow = refusal === null ? 0 : refusedBefore + 1;
        const blockMs = refusal === null ? null : blockMsOf(refusal, this.refusalsInARow);
        void this.account.land({ id, quota, blockMs }).finally(wakeIfWaiting);
      },
      drop: () => void this.account.drop([id]).finally(wakeIfWaiting),
    };
  }
}

function patienceOf({ deadline }: Waiting): number {
  return Math.min(deadline.remainingMs(), MAX_WAIT_MS);
}

/**
 * Milliseconds for which every call of the scope waits. The waste platform's `retry-after` is always a whole window, so
 * an earlier reset is tried first; if that proves wrong, `retry-after` is obeyed (waste-identity 8).
 */
function blockMsOf({ resetMs, retryAfterMs }: Refusal, refusalsInARow: number): number {
  const named = [resetMs, retryAfterMs].filter((ms) => ms !== null);
  if (named.length === 0) return Math.min(MAX_BLOCK_MS, UNNAMED_MS * 2 ** (refusalsInARow - 1));
  return refusalsInARow === 1 ? Math.min(...named) : Math.max(...named);
}
