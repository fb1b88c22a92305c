import { createHash } from 'node:crypto';
import { createLru } from '../../kernel/caches.js';
import { CodedError } from '../../kernel/errors.js';
import type { Credential } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import { noAddress } from './failures.js';
import type { Clock } from './ports/ports.js';
import { type KeyOf, queryText, type UpstreamRequest } from './upstream.js';

/** The key that a call carries, the operator's or the caller's own as the request says; null for none. */
export function keyFor(key: KeyOf, own: Credential | null, operators: Credential | null): Credential | null {
  switch (key) {
    case 'operator':
      return operators;
    case 'caller-or-operator':
      return own ?? operators;
    case 'caller':
      return own;
    case 'none':
      return null;
  }
}

/** Whose responses a call may share: everybody's, those of its key, or those of calls without a key. */
export function partitionOf(key: KeyOf, credential: Credential | null): string {
  return key === 'operator' ? 'shared' : (credential?.fingerprint ?? 'none');
}

/** Equal for calls that may share one response. Throws a CodedError for a request that has no address. */
export function identityIn(partition: string, request: UpstreamRequest<unknown>): string {
  return `${partition} ${identityOf(request)}`;
}

/** Longest identity that is used verbatim. Longer ones are hashed, because every map of responses is keyed by them. */
const MAX_IDENTITY_LENGTH = 256;

/**
 * Longest query string in bytes, including the question mark: servers on the way refuse URLs much longer than this.
 */
const MAX_QUERY_BYTES = 8192;

/** The order of parameters does not count, except among values of the same name. */
function identityOf(request: UpstreamRequest<unknown>): string {
  const { query: given = [] } = request;
  // Most requests of a join have one parameter.
  const query = given.length < 2 ? given : [...given].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const digest = request.digest === undefined ? '' : ` ${request.digest.name}`;
  const identity = `${request.method} ${request.path}${sendable(query)}${digest}`;
  return identity.length <= MAX_IDENTITY_LENGTH ? identity : createHash('sha256').update(identity).digest('base64url');
}

/**
 * The query as text. Half a surrogate pair cannot be encoded, and a NUL is an error in every database behind a route.
 */
function sendable(query: readonly (readonly [name: string, value: string])[]): string {
  const text = encoded(query);
  if (text.length > MAX_QUERY_BYTES) throw noAddress(`make a URL of more than ${MAX_QUERY_BYTES} bytes: request less`);
  if (text.includes('%00')) throw noAddress('hold a NUL character');
  return text;
}

function encoded(query: readonly (readonly [name: string, value: string])[]): string {
  try {
    return queryText(query);
  } catch (error) {
    if (error instanceof URIError) throw noAddress('hold text that is not Unicode');
    throw error;
  }
}

/** A key that was accepted within this time is doubtful when it is refused; any other is at fault. */
const ACCEPTED_MS = 15 * 60_000;
/** A key that is refused for this long is at fault, even if no other key shows it. */
const FAULT_AFTER_MS = 10 * 60_000;
/** A doubtful key is sent this often. */
const TRIAL_EVERY_MS = 3000;
const MAX_KEYS = 10_000;
/** Bytes of heap for a fingerprint and its times. */
const KEY_BYTES = 300;

/** When a key was last accepted, or found at fault (infinitely long ago), was first refused since, and last tried. */
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
  private readonly doubtsUnseen: boolean;
  private readonly keys = createLru<KeyState>(MAX_KEYS);
  /** The key accepted last, and the last one before it that is another. */
  private last: Accepted | null = null;
  private lastOther: Accepted | null = null;

  /** With `doubtsUnseen`, a key is also doubtful if it was accepted long ago, or by another process. */
  constructor(clock: Clock, doubtsUnseen = false) {
    this.clock = clock;
    this.doubtsUnseen = doubtsUnseen;
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
    const nowMs = this.clock.monotonicMs();
    const state = this.keys.get(key) ?? (this.doubtsUnseen ? { acceptedMs: nowMs, doubtedMs: null, trialMs: 0 } : null);
    if (state === null) return false;
    const isFault =
      state.doubtedMs === null
        ? nowMs - state.acceptedMs > (this.doubtsUnseen ? Number.MAX_VALUE : ACCEPTED_MS)
        : nowMs - state.doubtedMs >= FAULT_AFTER_MS || this.otherAcceptedSince(state.doubtedMs, key);
    if (isFault) {
      this.keys.set(key, { acceptedMs: Number.NEGATIVE_INFINITY, doubtedMs: null, trialMs: 0 });
      return false;
    }
    if (state.doubtedMs === null) this.keys.set(key, { ...state, doubtedMs: nowMs, trialMs: nowMs });
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
