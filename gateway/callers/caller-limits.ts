import type { ServiceName } from '../../kernel/services.js';
import { asks } from '../../runtime/event-loop/turns.js';
import { RequestError } from '../http/request-error.js';
import type { CallerCredentials } from '../request/request.js';
import { type Addresses, type Arrived, createCallerIds } from './caller-ids.js';
import {
  createLimitHeaders,
  createPolicy,
  type LimitHeaders,
  type Policy,
  type SharedStore,
  type Standing,
  secondsTo,
} from './rate-limit.js';

/** What one caller may do in a minute; 0 means no limit. */
interface CallerLimitsOptions {
  readonly requestsPerMinute: number;
  readonly callsPerMinute: number;
  readonly addresses: Addresses;
  /** Null if this process counts alone. */
  readonly store: SharedStore | null;
  /** The credentials in a request's headers, without its session. */
  credentialsOf(request: Arrived): CallerCredentials;
  /** Whether a request may have a session; finding out whose takes a store lookup. */
  mayHaveSession(request: Arrived): boolean;
  /** A keyed hash, so that neither keys nor addresses are stored. */
  hashOf(text: string): string;
}

/** Limits of each caller, who is identified by a key of their own, else by their session, else by their address. */
export interface CallerLimits {
  /** Whether anything is limited. */
  readonly isOn: boolean;
  /** The id that the caller of an admitted request is counted by. */
  callerIdOf(request: Arrived, credentials: CallerCredentials): string;
  /** Counts a request synchronously; null if the shared count has to be consulted, or the request is refused. */
  admitNow(request: Arrived, credentials: CallerCredentials): LimitHeaders | null;
  /** Counts a request. Rejects with a RequestError of status 429 if it is one too many. */
  admit(request: Arrived, credentials: CallerCredentials): Promise<LimitHeaders>;
  /**
   * The same for a request that is no operation, cannot be read or may not be sent. Its session is not looked up. A
   * request is counted once, however often this is called for it.
   */
  admitUnread(request: Arrived): Promise<void>;
  /** The upstream calls that an admitted request may make; null if they are not limited. */
  budget(request: Arrived, credentials: CallerCredentials): CallBudget | null;
  /** Why a request is refused before any of it is read; null if it is not known to be refused. */
  refusedNow(request: Arrived): RequestError | null;
  /** Call it when these services have accepted the caller's own keys. */
  confirm(credentials: CallerCredentials, services: Iterable<ServiceName>): void;
  /** Counts a login that an address starts. Rejects with a RequestError of status 429 if it is one too many. */
  beginLogin(request: Arrived): Promise<void>;
}

/** Logins that one address may start in a minute. */
const LOGINS_PER_MINUTE = 30;

/** New keys that one address may bring in a minute. */
const KEYS_PER_MINUTE = 10;

/** Creates the limits of a gateway. */
export function createCallerLimits(options: CallerLimitsOptions): CallerLimits {
  const { requestsPerMinute, callsPerMinute, addresses, store, hashOf } = options;
  const policy = (name: string, limit: number) => (limit === 0 ? null : createPolicy(name, limit, store));
  const requests = policy('requests', requestsPerMinute);
  const calls = policy('calls', callsPerMinute);
  const isOn = requests !== null || calls !== null;
  const logins = policy('logins', isOn ? LOGINS_PER_MINUTE : 0);
  const ids = createCallerIds(addresses, hashOf, policy('keys', isOn ? KEYS_PER_MINUTE : 0));
  const headersFor = createLimitHeaders([requests, calls].filter((one) => one !== null));

  function refusal(refusing: Policy, standing: Standing): RequestError {
    const seconds = secondsTo(standing.endsMs);
    const message = `A caller may make ${refusing.limit} ${refusing.name} a minute. Try again in ${seconds} s.`;
    const headers = { ...headersFor([[refusing, standing]]), 'retry-after': String(seconds) };
    return new RequestError(429, message, { code: 'TOO_MANY_REQUESTS', headers });
  }

  async function take(taken: Policy, callerId: string): Promise<Standing> {
    const standing = taken.takeNow(callerId) ?? (await taken.take(callerId));
    if (standing.isRefused) throw refusal(taken, standing);
    return standing;
  }

  const callerIdOf: CallerLimits['callerIdOf'] = (request, credentials) =>
    ids.now(request, credentials) ?? ids.ofAddress(request);

  const admit: CallerLimits['admit'] = async (request, credentials) => {
    const callerId = isOn ? await ids.of(request, credentials) : callerIdOf(request, credentials);
    asks(callerId);
    return requests === null ? NONE : headersFor([[requests, await take(requests, callerId)]]);
  };

  return {
    isOn,
    callerIdOf,
    admit,
    admitNow(request, credentials) {
      const callerId = ids.now(request, credentials);
      if (callerId !== null) asks(callerId);
      if (!isOn) return NONE;
      if (callerId === null) return null;
      const standing = requests?.takeNow(callerId) ?? null;
      if (requests === null) return NONE;
      return standing === null || standing.isRefused ? null : headersFor([[requests, standing]]);
    },
    async admitUnread(request) {
      if (requests !== null && isNew(request)) await admit(request, options.credentialsOf(request));
    },
    budget(request, credentials) {
      if (calls === null) return null;
      const callerId = callerIdOf(request, credentials);
      const others = () => (requests === null ? [] : standingsOf(requests, callerId));
      return createCallBudget(calls, callerId, (standing) => headersFor([...others(), [calls, standing]]));
    },
    refusedNow(request) {
      if (requests === null || !requests.hasRefused()) return null;
      const credentials = options.credentialsOf(request);
      // A token of the caller's own takes precedence over a session.
      if (credentials['waste-identity'] === null && options.mayHaveSession(request)) return null;
      const callerId = ids.now(request, credentials);
      const standing = callerId === null ? null : requests.standing(callerId);
      return standing?.isRefused === true ? refusal(requests, standing) : null;
    },
    confirm(credentials, services) {
      if (isOn) ids.confirm(credentials, services);
    },
    async beginLogin(request) {
      if (logins !== null) await take(logins, ids.ofAddress(request));
    },
  };
}

const NONE: LimitHeaders = {};

/** Requests that were counted before their operation was known. */
const counted = new WeakSet<Arrived>();

function isNew(request: Arrived): boolean {
  const before = counted.has(request);
  counted.add(request);
  return !before;
}

function standingsOf(policy: Policy, callerId: string): [Policy, Standing][] {
  const standing = policy.standing(callerId);
  return standing === null ? [] : [[policy, standing]];
}

/** What a caller may still spend on the upstream calls of one request. */
export interface CallBudget {
  /** Calls that a caller may make in a minute. */
  readonly limit: number;
  /** Raises the calls that are set aside to `calls`. False, with no more set aside, if the window has too few left. */
  reserve(calls: number): Promise<boolean>;
  /** Sets aside up to `wanted` calls and returns how many; null, with no more set aside, if `needed` are not left. */
  reserveUpTo(wanted: number, needed: number): Promise<number | null>;
  /** Call it with the calls that were made: gives back the rest of what was set aside, except what is `stillNeeded`. */
  settle(made: number, stillNeeded?: number): void;
  /** Headers that report what is left; empty if nothing was ever set aside. */
  headers(): LimitHeaders;
}

/** Creates the budget of a caller under a policy. */
export function createCallBudget(
  policy: Policy,
  callerId: string,
  headersOf: (standing: Standing) => LimitHeaders,
): CallBudget {
  let reserved = 0;
  let last: Standing | null = null;
  /** Whether the minute of the reservation is over: then nothing of it carries over or is given back. */
  const hasLapsed = () => last !== null && Date.now() >= last.endsMs;

  async function reserve(calls: number): Promise<boolean> {
    if (hasLapsed()) reserved = 0;
    const more = calls - reserved;
    if (more <= 0) {
      // An earlier refusal was for a higher price.
      last = last && { ...last, isRefused: false };
      return true;
    }
    last = await policy.reserve(callerId, more);
    if (!last.isRefused) reserved = calls;
    return !last.isRefused;
  }

  return {
    limit: policy.limit,
    reserve,
    async reserveUpTo(wanted, needed) {
      if (await reserve(wanted)) return wanted;
      const available = reserved + (last?.left ?? 0);
      return available >= needed && (await reserve(available)) ? available : null;
    },
    settle(made, stillNeeded = 0) {
      const rest = reserved - made;
      reserved = hasLapsed() ? 0 : Math.max(0, Math.min(rest, stillNeeded));
      const unused = hasLapsed() ? Math.min(0, rest) : rest - reserved;
      last = last && { ...last, left: Math.max(0, last.left + unused) };
      // Nobody waits for this, and an unreachable store is reported elsewhere.
      policy.settle(callerId, unused).catch(() => {});
    },
    headers() {
      if (last === null) return {};
      return { ...headersOf(last), ...(last.isRefused && { 'retry-after': String(secondsTo(last.endsMs)) }) };
    },
  };
}
