import { createHash } from 'node:crypto';
import { createLru, unwatched, type WatchCache } from '../../kernel/caches.js';
import { CodedError } from '../../kernel/errors.js';
import type { Credential } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import { noAddress } from './failures.js';
import type { Clock } from './ports/ports.js';
import { type KeyOf, queryText, type UpstreamRequest } from './upstream.js';

/** The key that a call carries, the operator's or the caller's own as the request says; null for none. */
export function keyFor(key: KeyOf, own: Credential | null, operators: Credential | null): Credential | null {
  if (key === 'none') return null;
  if (key === 'operator') return operators;
  return key === 'caller' ? own : (own ?? operators);
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
  let text: string;
  try {
    text = queryText(query);
  } catch {
    throw noAddress('hold text that is not Unicode');
  }
  if (text.length > MAX_QUERY_BYTES) throw noAddress(`make a URL of more than ${MAX_QUERY_BYTES} bytes: request less`);
  if (text.includes('%00')) throw noAddress('hold a NUL character');
  return text;
}

/** A key that was accepted within this time is doubtful when it is refused; any other is at fault. */
const ACCEPTED_MS = 15 * 60_000;
/** A key that is refused for this long is at fault, even if no other key shows it. */
const FAULT_AFTER_MS = 10 * 60_000;
/** A doubtful key is sent this often. */
const TRIAL_EVERY_MS = 3000;
/** How long a key at fault is not sent again. */
const HELD_MS = 60_000;
const MAX_KEYS = 10_000;
/** Bytes of heap for a fingerprint and its times, and for one with a refusal. */
const KEY_BYTES = 300;
const REFUSED_BYTES = 1000;

/** What a service last said of a key. */
interface KeyState {
  /** When it accepted it; infinitely long ago if it found it at fault since. */
  readonly acceptedMs: number;
  /** Since when it refuses it, when it was last sent, and the refusal if it is at fault; null if it does not refuse it. */
  readonly refused: { readonly sinceMs: number; readonly triedMs: number; readonly fault: Fault | null } | null;
}

type Fault = Pick<CodedError, 'code' | 'message'>;

/**
 * What a service says of keys, which are known by their fingerprints.
 *
 * - One **at fault** is not sent for a minute: if a service counts by our address, calls with an invented key use up
 *   everybody's quota. The operator's, which the operator has to mend, only once it was refused for a minute.
 * - Some words of a refusal are those of the service's own outage too (work-study 5.1). A key that it accepted lately is
 *   then **doubtful**, and sent every few seconds: that is an outage until another key is accepted meanwhile, or for ten
 *   minutes. Then it is the key's fault.
 */
export class KeyStates {
  private readonly clock: Clock;
  private readonly doubtsUnseen: boolean;
  private readonly states = createLru<KeyState>(MAX_KEYS);
  /** Of keys that were never accepted, of which strangers may send any number. */
  private readonly strangers = createLru<KeyState>(MAX_KEYS);
  /** When the last call was sent whose key was accepted: later than a key's doubt, that was another key. */
  private acceptedSentMs = Number.NEGATIVE_INFINITY;

  /** With `doubtsUnseen`, a key is also doubtful if it was accepted long ago, or by another process. */
  constructor(clock: Clock, doubtsUnseen = false, watchCache: WatchCache = unwatched) {
    this.clock = clock;
    this.doubtsUnseen = doubtsUnseen;
    watchCache('refused-keys', () => KEY_BYTES * this.states.size + REFUSED_BYTES * this.strangers.size);
  }

  /** What the service last said of it; a key that it has not seen is as good as accepted. */
  verdictOn(key: string): 'accepted' | 'doubtful' | 'refused' {
    const { refused = null } = this.stateOf(key) ?? {};
    if (refused === null) return 'accepted';
    return refused.fault === null ? 'doubtful' : 'refused';
  }

  /** Why a key must not be sent now; null if it may be, which is then the trial of a doubtful one. */
  refusalOf(key: string, isOperators: boolean): Fault | 'doubtful' | null {
    const state = this.stateOf(key);
    if (!state?.refused) return null;
    const nowMs = this.clock.monotonicMs();
    const { fault, sinceMs, triedMs } = state.refused;
    if (fault !== null) return nowMs - triedMs < HELD_MS && (!isOperators || nowMs - sinceMs >= HELD_MS) ? fault : null;
    if (nowMs - triedMs < TRIAL_EVERY_MS) return 'doubtful';
    this.set(key, { ...state, refused: { ...state.refused, triedMs: nowMs } });
    return null;
  }

  /** The service accepted a key in a call sent at this time. Calls from before a doubt do not end it. */
  accepted(key: string, sentMs: number): void {
    this.acceptedSentMs = Math.max(this.acceptedSentMs, sentMs);
    const { refused = null } = this.stateOf(key) ?? {};
    if (refused !== null && refused.fault === null && sentMs < refused.sinceMs) return;
    this.set(key, { acceptedMs: this.clock.monotonicMs(), refused: null });
  }

  /** The service said something else to a key: at least it is not at fault. */
  answered(key: string): void {
    const state = this.stateOf(key);
    if (state?.refused?.fault) this.set(key, { ...state, refused: null });
  }

  /** The service found a key at fault. */
  refused(key: string, { code, message }: CodedError): void {
    const triedMs = this.clock.monotonicMs();
    const { acceptedMs = Number.NEGATIVE_INFINITY, refused } = this.stateOf(key) ?? {};
    const sinceMs = refused?.fault ? refused.sinceMs : triedMs;
    this.set(key, { acceptedMs, refused: { sinceMs, triedMs, fault: { code, message } } });
  }

  /** The service refused a key in ambiguous words. Returns whether that is doubtful rather than the key's fault. */
  doubts(key: string): boolean {
    const nowMs = this.clock.monotonicMs();
    const state = this.stateOf(key) ?? (this.doubtsUnseen ? { acceptedMs: nowMs, refused: null } : undefined);
    if (state === undefined) return false;
    const sinceMs = state.refused?.fault === null ? state.refused.sinceMs : null;
    const isFault =
      sinceMs === null
        ? nowMs - state.acceptedMs > (this.doubtsUnseen ? Number.MAX_VALUE : ACCEPTED_MS)
        : nowMs - sinceMs >= FAULT_AFTER_MS || this.acceptedSentMs > sinceMs;
    if (isFault) this.set(key, { ...state, acceptedMs: Number.NEGATIVE_INFINITY });
    else if (sinceMs === null) this.set(key, { ...state, refused: { sinceMs: nowMs, triedMs: nowMs, fault: null } });
    return !isFault;
  }

  private stateOf(key: string): KeyState | undefined {
    return this.states.get(key) ?? this.strangers.get(key);
  }

  private set(key: string, state: KeyState): void {
    const isAccepted = Number.isFinite(state.acceptedMs);
    (isAccepted ? this.states : this.strangers).set(key, state);
    (isAccepted ? this.strangers : this.states).delete(key);
  }
}

/** The service refuses a key that it accepted lately, in words that its own outage has too. */
export function doubtfulKey(service: ServiceName, cause?: unknown): CodedError {
  const message = `${service} refuses a key that it accepted a short while ago: perhaps an outage. It did nothing.`;
  const retryAfterSeconds = TRIAL_EVERY_MS / 1000;
  return new CodedError('UPSTREAM_UNAVAILABLE', message, { service, retryAfterSeconds, cause });
}
