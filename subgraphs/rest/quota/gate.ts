import type { CodedError } from '../../../schema/errors.js';
import type { Deadline } from '../../../schema/operation.js';
import type { QuotaLeft } from '../../../schema/trace.js';
import type { Refusal } from '../headers/refusal.js';
import type { Clock } from '../ports/clock.js';
import { TransportFailure } from '../ports/transport.js';
import { type Account, type Grant, GUARD_MS } from './account.js';
import type { QuotaBook } from './book.js';
import { FairQueue } from './fair-queue.js';
import { CALL_CLASSES, type CallClass, headroomOf, type QuotaScope } from './scope.js';

/** The right to send one call. Exactly one of its two methods must be called. */
export interface Permit {
  /** Share of the window, from 0 to 1, that was free when it was granted. */
  readonly left: number;
  /** It was sent, and has been answered or never will be. */
  land(quota: QuotaLeft | null, refusal: Refusal | null): void;
  /** It was not sent after all. */
  drop(): void;
}

/** A call that wants a permit. */
export interface Waiter {
  /** The request that it belongs to: requests take turns. */
  readonly request: object;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/** What all gates of a service share. */
export interface GateOptions {
  readonly book: QuotaBook;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The error of a call whose turn would come too late. */
  readonly refuse: (retryInMs: number) => CodedError;
}

interface Waiting extends Waiter {
  readonly id: string;
  reserved: boolean;
  readonly admit: (permit: Permit) => void;
  readonly reject: (reason: unknown) => void;
}

/** When the next waiting call may go. */
interface NextTurn {
  /** Milliseconds after which time alone lets a call go; infinite when only a landing does. */
  readonly inMs: number;
  /** Whether a call has a reservation and waits for another one to land. */
  readonly waitsForLanding: boolean;
}

/** A refusal that names no time blocks its scope this long, and twice as long each time that it is repeated. */
const UNNAMED_MS = 1000;
const LONGEST_MS = 60_000;
/** So many windows' worth of calls may wait. */
const WINDOWS_WAITING = 2;
/** Calls of other replicas land without notice. */
const LOOK_AGAIN_MS = 25;
/** A replica that counts apart may share again at any heartbeat, and has more to give then. */
const LOOK_AGAIN_APART_MS = 400;

/** The gate of each scope. A gate whose account the book has evicted still serves the calls that wait at it. */
export function createGates(options: GateOptions): { of(scope: QuotaScope): Gate } {
  const gates = new WeakMap<Account, Gate>();
  return {
    of(scope) {
      const account = options.book.open(scope);
      const gate = gates.get(account) ?? new Gate(scope, account, options);
      gates.set(account, gate);
      return gate;
    },
  };
}

/** The entrance of one scope: which calls wait, and in which order they go. */
class Gate {
  private readonly scope: QuotaScope;
  private readonly account: Account;
  private readonly options: GateOptions;
  /** A queue is served only when none of a class before its own has a waiting call. */
  private readonly queues: Readonly<Record<CallClass, FairQueue<Waiting>>> = {
    write: new FairQueue(),
    read: new FairQueue(),
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

  /** A permit, as soon as it is this call's turn. Rejects as soon as that would be after its deadline, or it leaves. */
  enter(callClass: CallClass, waiter: Waiter): Promise<Permit> {
    const { signal, request } = waiter;
    const queue = this.queues[callClass];
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new TransportFailure('aborted', signal.reason));
      const leave = () => {
        queue.remove(waiting);
        if (waiting.reserved) this.giveBack([waiting]);
        reject(new TransportFailure('aborted', signal.reason));
        this.wake();
      };
      const stay = () => signal.removeEventListener('abort', leave);
      const waiting: Waiting = {
        ...waiter,
        id: this.options.newId(),
        reserved: false,
        admit(permit) {
          stay();
          resolve(permit);
        },
        reject(reason) {
          stay();
          reject(reason);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(waiting, request);
      this.wake();
    });
  }

  /** Serves what can be served now. Calls that come while the account is read are served after that. */
  private wake(): void {
    this.again = true;
    if (!this.serving) void this.serveAll();
  }

  private async serveAll(): Promise<void> {
    this.serving = true;
    while (this.again) {
      this.again = false;
      this.cancel();
      let next: NextTurn | null = null;
      for (const callClass of CALL_CLASSES) {
        const queue = this.queues[callClass];
        if (next === null) next = await this.serve(queue, headroomOf(this.scope, callClass));
        else this.giveBack(queue.items().filter(({ reserved }) => reserved));
      }
      if (next !== null) this.comeBack(next);
    }
    this.serving = false;
  }

  /** Lets calls of one class through, and refuses those that wait in vain. Null when none is left. */
  private async serve(queue: FairQueue<Waiting>, headroom: number): Promise<NextTurn | null> {
    const waiting = queue.items();
    if (waiting.length === 0) return null;
    const leaseMs = Math.max(...waiting.map(({ deadline }) => deadline.remainingMs()));
    const grant = await this.account.take({ ids: waiting.map(({ id }) => id), leaseMs, headroom });
    const { granted, reserved } = grant;
    // Some may have left while the account was read.
    this.giveBack(waiting.slice(0, granted + reserved).filter((call) => !queue.has(call)));
    waiting.forEach((call, place) => {
      call.reserved = place >= granted && place < granted + reserved;
      if (place < granted && queue.has(call)) {
        queue.serve(call);
        call.admit(this.permitOf(call.id, grant.left));
      }
    });
    const staying = this.refuseLate(queue, waiting, grant);
    if (staying.length === 0) return null;
    const held = staying.filter((call) => call.reserved).length;
    const resumesInMs = held > 0 ? grant.resumesInMs : Number.POSITIVE_INFINITY;
    const startsInMs = staying.length > held ? grant.startsInMs(0) : Number.POSITIVE_INFINITY;
    return { inMs: Math.min(startsInMs, resumesInMs), waitsForLanding: held > 0 };
  }

  /** Refuses at once the calls whose turn would come too late, and those beyond what may wait. Returns the others. */
  private refuseLate(queue: FairQueue<Waiting>, calls: readonly Waiting[], grant: Grant): Waiting[] {
    const staying: Waiting[] = [];
    const refused: Waiting[] = [];
    let ahead = 0;
    for (const call of calls.filter((one) => queue.has(one))) {
      // A reserved call waits for nothing but the end of a refusal.
      const startsInMs = call.reserved ? grant.blockedMs : grant.startsInMs(ahead);
      const inTime = startsInMs <= call.deadline.remainingMs();
      const stays = inTime && ahead < grant.perWindow * WINDOWS_WAITING;
      (stays ? staying : refused).push(call);
      if (stays && !call.reserved) ahead += 1;
    }
    for (const call of refused) queue.remove(call);
    this.giveBack(refused.filter(({ reserved }) => reserved));
    for (const call of refused) call.reject(this.options.refuse(grant.retryInMs(ahead)));
    return staying;
  }

  private giveBack(calls: readonly Waiting[]): void {
    if (calls.length === 0) return;
    for (const call of calls) call.reserved = false;
    void this.account.drop(calls.map(({ id }) => id));
  }

  /** Comes back when time alone lets a call go. What only waits for a landing of ours is woken by that. */
  private comeBack({ inMs, waitsForLanding }: NextTurn): void {
    const { book, clock } = this.options;
    const landsInMs = waitsForLanding && book.shared ? LOOK_AGAIN_MS : Number.POSITIVE_INFINITY;
    const sharesInMs = book.apart ? LOOK_AGAIN_APART_MS : Number.POSITIVE_INFINITY;
    const soonMs = Math.min(inMs, landsInMs, sharesInMs);
    this.cancel = Number.isFinite(soonMs) ? clock.after(Math.max(1, soonMs), () => this.wake()) : () => {};
  }

  private permitOf(id: string, left: number): Permit {
    const wakeIfWaiting = () => {
      if (Object.values(this.queues).some(({ size }) => size > 0)) this.wake();
    };
    // Calls that are in flight together meet the same refusal: only one that was sent after it shows that it was wrong.
    const refusedBefore = this.refusalsInARow;
    return {
      left,
      land: (quota, refusal) => {
        this.refusalsInARow = refusal === null ? 0 : refusedBefore + 1;
        const blockedMs = refusal === null ? 0 : blockMs(refusal, this.refusalsInARow);
        void this.account.land({ id, quota, blockMs: blockedMs }).finally(wakeIfWaiting);
      },
      drop: () => void this.account.drop([id]).finally(wakeIfWaiting),
    };
  }
}

/**
 * Milliseconds for which every call of the scope waits. The waste platform's `retry-after` is always a whole window, so
 * an earlier reset is believed first; when that was wrong, `retry-after` is obeyed (waste-identity 8).
 */
function blockMs({ resetMs, retryAfterMs }: Refusal, refusalsInARow: number): number {
  const named = [resetMs, retryAfterMs].filter((ms) => ms !== null);
  if (named.length === 0) return Math.min(LONGEST_MS, UNNAMED_MS * 2 ** (refusalsInARow - 1)) + GUARD_MS;
  return (refusalsInARow === 1 ? Math.min(...named) : Math.max(...named)) + GUARD_MS;
}
