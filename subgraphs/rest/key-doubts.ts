import { createLru } from '../../kernel/caches.js';
import { CodedError } from '../../kernel/errors.js';
import type { ServiceName } from '../../kernel/services.js';
import type { Clock } from './ports/clock.js';

/** A key that was accepted within this time is doubtful when it is refused; any other is at fault. */
const ACCEPTED_MS = 15 * 60_000;
/** A key that is refused for this long is at fault, even if no other key shows it. */
const FAULT_AFTER_MS = 10 * 60_000;
/** A doubtful key is sent this often. */
const TRIAL_EVERY_MS = 3000;
const MAX_KEYS = 10_000;
/** Bytes of heap for a fingerprint and its times. */
const KEY_BYTES = 300;

/** When a key was last accepted, was first refused since, and was last sent while in doubt. */
interface KeyState {
  acceptedMs: number;
  doubtedMs: number | null;
  trialMs: number;
}

/** A key and when a call that it was accepted for was sent. */
interface Accepted {
  readonly key: string;
  readonly sentMs: number;
}

/**
 * Keys that a service refuses in words that an outage of its own has too (work-study 5.1), known by their fingerprints. One
 * that it has accepted lately is **doubtful**: that is an outage until another key is accepted meanwhile, or for ten
 * minutes. Then it is the key's fault.
 */
export class KeyDoubts {
  private readonly clock: Clock;
  private readonly keys = createLru<KeyState>(MAX_KEYS);
  /** The key accepted last, and the last one before it that is another. */
  private last: Accepted | null = null;
  private lastOther: Accepted | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Bytes of heap. */
  get bytes(): number {
    return KEY_BYTES * this.keys.size;
  }

  isDoubtful(key: string): boolean {
    return (this.keys.get(key)?.doubtedMs ?? null) !== null;
  }

  /** Milliseconds until the key may be sent; 0 takes the trial if the key is doubtful. */
  waitMs(key: string): number {
    const state = this.keys.get(key);
    if (state === undefined || state.doubtedMs === null) return 0;
    const nowMs = this.clock.monotonicMs();
    const waitMs = state.trialMs + TRIAL_EVERY_MS - nowMs;
    if (waitMs > 0) return waitMs;
    state.trialMs = nowMs;
    return 0;
  }

  /** The service accepted a key in a call sent at this time. Calls from before a doubt do not end it. */
  accepted(key: string, sentMs: number): void {
    if (this.last !== null && this.last.key !== key) this.lastOther = this.last;
    this.last = { key, sentMs };
    const known = this.keys.get(key);
    const doubtedMs = known?.doubtedMs ?? null;
    if (doubtedMs !== null && sentMs < doubtedMs) return;
    this.keys.set(key, { acceptedMs: this.clock.monotonicMs(), doubtedMs: null, trialMs: 0 });
  }

  /** The service refused a key in those words. Returns whether that is doubtful rather than the key's fault. */
  refused(key: string): boolean {
    const state = this.keys.get(key);
    if (state === undefined) return false;
    const nowMs = this.clock.monotonicMs();
    const isFault =
      state.doubtedMs === null
        ? nowMs - state.acceptedMs > ACCEPTED_MS
        : nowMs - state.doubtedMs >= FAULT_AFTER_MS || this.otherAcceptedSince(state.doubtedMs, key);
    if (isFault) {
      this.keys.delete(key);
      return false;
    }
    if (state.doubtedMs === null) Object.assign(state, { doubtedMs: nowMs, trialMs: nowMs });
    return true;
  }

  private otherAcceptedSince(sinceMs: number, key: string): boolean {
    const other = this.last?.key === key ? this.lastOther : this.last;
    return other !== null && other.sentMs > sinceMs;
  }
}

/** The service refuses a key that it accepted lately, in words that its own outage has too. */
export function doubtfulKey(service: ServiceName, cause?: unknown): CodedError {
  const message = `${service} refuses a key that it accepted a short while ago: perhaps an outage. It did nothing.`;
  const retryAfterSeconds = TRIAL_EVERY_MS / 1000;
  return new CodedError('UPSTREAM_UNAVAILABLE', message, { service, retryAfterSeconds, cause });
}
