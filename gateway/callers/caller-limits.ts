import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { type Awaitable, allThere, whenThere } from '../../kernel/awaitable.js';
import { createLru } from '../../kernel/caches.js';
import type { CallBudget } from '../../kernel/operation.js';
import { SERVICE_ENTRIES, SERVICES, type ServiceName } from '../../kernel/services.js';
import { RequestError } from '../../runtime/http/request-error.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import type { CallerCredentials } from '../request/request.js';

/** What one caller may do in a minute; 0 means no limit. */
interface CallerLimitsOptions {
  readonly requestsPerMinute: number;
  readonly callsPerMinute: number;
  readonly proxies: TrustedProxies;
  /** Null if this process counts alone. */
  readonly store: Redis | null;
  /** A keyed hash, so that neither keys nor addresses are stored. */
  hashOf(text: string): string;
}

/** Limits of each caller, who is identified by the user of their session, else by a key, else by their address. */
export interface CallerLimits {
  /** Whether anything is limited. */
  readonly isOn: boolean;
  /** The id that the caller of an admitted request is counted by. */
  callerIdOf(request: Arrived, caller: Recognised): string;
  /** Counts a request. Throws, or rejects with, a RequestError of status 429 if it is one too many. */
  admit(request: Arrived, caller: Recognised): Awaitable<LimitHeaders>;
  /** The upstream calls that the caller of an admitted request may make; null if they are not limited. */
  budget(request: Arrived, caller: Recognised): Awaitable<ReportedBudget | null>;
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
  const { requestsPerMinute, callsPerMinute, proxies, store, hashOf } = options;
  const policy = (name: string, limit: number) => (limit === 0 ? null : createPolicy(name, limit, store));
  const requests = policy('requests', requestsPerMinute);
  const calls = policy('calls', callsPerMinute);
  const isOn = requests !== null || calls !== null;
  const logins = policy('logins', isOn ? LOGINS_PER_MINUTE : 0);
  const ids = createCallerIds(proxies, hashOf, policy('keys', isOn ? KEYS_PER_MINUTE : 0));
  const told = [requests, calls].filter((one) => one !== null);
  const quotasOf = (of: readonly Policy[]) => of.map(({ name, limit }) => `"${name}";q=${limit};w=60`).join(', ');
  const quotas = quotasOf(told);

  /** These policies, and what a caller has left of them, where they took of them in this minute. */
  function headersOf(callerId: string, of: readonly Policy[] = told): LimitHeaders {
    let ratelimit = '';
    for (const { name, known } of of) {
      const status = known(callerId);
      if (status === null) continue;
      ratelimit += `${ratelimit && ', '}"${name}";r=${status.remaining};t=${secondsTo(status.resetMs)}`;
    }
    return { 'ratelimit-policy': of === told ? quotas : quotasOf(of), ratelimit };
  }

  function refusal(policy: Policy, callerId: string, { resetMs }: LimitStatus): RequestError {
    const { name, limit } = policy;
    const seconds = secondsTo(resetMs);
    const message = `A caller may make ${limit} ${name} a minute. Try again in ${seconds} s.`;
    const headers = { ...headersOf(callerId, told.includes(policy) ? told : [policy]), 'retry-after': String(seconds) };
    return new RequestError(429, message, { code: 'TOO_MANY_REQUESTS', headers });
  }

  return {
    isOn,
    callerIdOf: ids.admitted,
    admit(request, caller) {
      if (!isOn) return NONE;
      return whenThere(ids.now(request, caller) ?? ids.of(request, caller), (callerId) => {
        if (requests === null) return NONE;
        const known = requests.known(callerId);
        // Whoever is refused need not be counted on.
        return whenThere(known?.isRefused === true ? known : requests.take(callerId), (status) => {
          if (status.isRefused) throw refusal(requests, callerId, status);
          return headersOf(callerId);
        });
      });
    },
    budget(request, caller) {
      if (calls === null) return null;
      const callerIds = ids.ofCalls(request, caller);
      return whenThere(allThere(callerIds.map((callerId) => calls.take(callerId, 0))), () => ({
        headers: () => headersOf(callerIds[0]),
        ...createCallBudget(calls, callerIds),
      }));
    },
    confirm(credentials, services) {
      if (isOn) ids.confirm(credentials, services);
    },
    async beginLogin(request) {
      if (logins === null) return;
      const address = ids.ofAddress(request);
      const status = await logins.take(address);
      if (status.isRefused) throw refusal(logins, address, status);
    },
  };
}

/** Response headers that report what remains (draft-ietf-httpapi-ratelimit-headers). */
export type LimitHeaders = Readonly<Record<string, string>>;

const NONE: LimitHeaders = {};

/** The upstream calls of a caller, and headers that report what is left of them. */
export interface ReportedBudget extends CallBudget {
  headers(): LimitHeaders;
}

/** The budget of one request under a policy, of whose calls each counts for all of these ids. */
function createCallBudget(policy: Policy, callerIds: readonly [string, ...string[]]): CallBudget {
  let aside = 0;
  const unspent = () => Math.min(...callerIds.map((callerId) => policy.known(callerId)?.remaining ?? policy.limit));
  const take = (made: number) => {
    for (const callerId of callerIds) void policy.take(callerId, made);
  };
  return {
    limit: policy.limit,
    left: () => aside + unspent(),
    resetSeconds: () => secondsTo(policy.known(callerIds[0])?.resetMs ?? 0),
    spend(made) {
      const own = Math.min(aside, made);
      aside -= own;
      if (made !== own) take(made - own);
    },
    setAside(more) {
      if (more > unspent()) return false;
      aside += more;
      take(more);
      return true;
    },
    end() {
      if (aside > 0) take(-aside);
      aside = 0;
    },
  };
}

/** What a caller is recognised by, besides their address. */
export interface Recognised {
  readonly credentials: CallerCredentials;
  /** Keyed hash of the user of their session, who may have any number of sessions; null without one. */
  readonly user: string | null;
}

/** Hashes, and keys of each kind, that are remembered. */
const MAX_IDS = 10_000;

/** The caches share the policies' clock, which counts minutes. */
const WALL = { now: () => Date.now() };

/** How long a key that a service has accepted counts as real rather than invented. */
const CONFIRMED_MS = 3600_000;

/**
 * What callers are counted by: a keyed hash of the user of their session, else of their key, else of their address.
 * `keys` limits the new keys of an address; callers beyond the limit are counted by address.
 */
function createCallerIds(proxies: TrustedProxies, hashOf: (text: string) => string, keys: Policy | null) {
  const hashes = new LRUCache({ maxSize: MAX_IDS, sizeCalculation: () => 1, memoMethod: hashOf });
  // Headers cannot contain the first character, so no key can get the id of an address.
  const idOf = (text: `\0${string}`) => hashes.memo(text);
  /** Keys that an address was allowed to bring, and keys that their services have accepted. */
  const brought = createLru<number>(MAX_IDS, { ttl: MINUTE_MS, perf: WALL });
  const confirmed = createLru<number>(MAX_IDS, { ttl: CONFIRMED_MS, perf: WALL });
  /** Keys that are being counted against their address. */
  const taking = new Map<string, Promise<LimitStatus>>();

  /**
   * Null for a caller without any key. Prefers a key that its service has accepted: an invented one beside it must
   * neither be counted in its place nor pass for real.
   */
  function ownFingerprint(credentials: CallerCredentials): string | null {
    const own = SERVICES.flatMap((service) => credentials[service]?.fingerprint ?? []);
    return own.find((key) => confirmed.has(key)) ?? own[0] ?? null;
  }

  const ofAddress = (request: Arrived) => idOf(`\0address ${addressOf(request, proxies)}`);

  /** Null for an unknown key from an address that may still bring new keys. */
  function now(request: Arrived, { credentials, user }: Recognised): string | null {
    if (user !== null) return user;
    const own = ownFingerprint(credentials);
    if (own !== null && (keys === null || confirmed.has(own) || brought.has(own))) return own;
    const address = ofAddress(request);
    return own === null || keys?.known(address)?.isRefused === true ? address : null;
  }

  /** What an admitted request counts by. */
  const admitted = (request: Arrived, caller: Recognised) => now(request, caller) ?? ofAddress(request);

  return {
    ofAddress,
    now,
    admitted,
    /**
     * The same, first, and whatever else its upstream calls count by: those of a token count for all tokens of its
     * address too, since a user may have any number of tokens.
     */
    ofCalls(request: Arrived, caller: Recognised): readonly [string, ...string[]] {
      const { credentials, user } = caller;
      const sent = SERVICES.filter((name) => credentials[name] !== null);
      const hasToken = user === null && sent.some((name) => SERVICE_ENTRIES[name].credential.kind === 'token');
      const callerId = admitted(request, caller);
      return hasToken ? [callerId, idOf(`\0tokens ${addressOf(request, proxies)}`)] : [callerId];
    },
    /** What an unknown key counts by, once it has been counted against its address. */
    async of(request: Arrived, caller: Recognised): Promise<string> {
      const address = ofAddress(request);
      const own = ownFingerprint(caller.credentials);
      if (own === null) return address;
      // Further requests that bring it meanwhile are not counted as further keys.
      const taken = taking.get(own) ?? keys?.take(address).finally(() => taking.delete(own));
      if (taken !== undefined) taking.set(own, taken);
      if ((await taken)?.isRefused === true) return address;
      brought.set(own, 1);
      return own;
    },
    /** Marks keys as accepted by these services: each counts on its own, whatever its address sends. */
    confirm(credentials: CallerCredentials, services: Iterable<ServiceName>): void {
      for (const service of services) {
        const own = credentials[service]?.fingerprint;
        if (own !== undefined) confirmed.set(own, 1);
      }
    },
  };
}

/** The parts of a node request that identify its caller. */
interface Arrived {
  readonly headers: RequestHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Proxies whose forwarded addresses are trusted; null for none. */
export type TrustedProxies = BlockList | null;

/** Reads proxies, each given as an address or a network such as `10.0.0.0/8`. */
export function readProxies(proxies: readonly string[]): TrustedProxies {
  if (proxies.length === 0) return null;
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return trusted;
}

/** Whether an address is that of a trusted proxy. */
export function isProxy(address: string, proxies: TrustedProxies): boolean {
  if (proxies === null) return false;
  const own = readHop(address);
  return own !== null && proxies.check(own, isIPv6(own) ? 'ipv6' : 'ipv4');
}

/**
 * The caller's address: the socket's or, behind a trusted proxy, the last forwarded one that is not a trusted proxy's.
 * For IPv6 it is the caller's whole network, whose addresses count as one.
 */
export function addressOf({ socket, headers }: Arrived, proxies: TrustedProxies): string {
  let address = readHop(socket.remoteAddress ?? '') ?? '';
  if (!isProxy(address, proxies)) return network(address);
  const forwarded = (oneHeader(headers, 'x-forwarded-for') ?? '').split(',');
  for (const text of forwarded.reverse()) {
    const hop = readHop(text.trim());
    if (hop === null) break;
    address = hop;
    if (!isProxy(hop, proxies)) break;
  }
  return network(address);
}

/** An address as proxies write it, some with a port or brackets; IPv4 on an IPv6 socket as IPv4. Null for no address. */
function readHop(text: string): string | null {
  if (isIPv4(text)) return text;
  const [, bracketed, withPort] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = bracketed ?? withPort ?? text;
  if (isIPv4(address)) return address;
  return isIPv6(address) ? ipaddr.process(address).toString() : null;
}

/** The first 64 bits of an IPv6 address; any other address unchanged. */
function network(address: string): string {
  if (!address.includes(':')) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

// A policy limits what each caller may take in a minute, in points: a request is one, an upstream call is one. All
// replicas that share a store count together; without one, or while it is unreachable, each process counts by itself.

/** What a caller has of a policy. */
interface LimitStatus {
  readonly isRefused: boolean;
  /** Points that remain. */
  readonly remaining: number;
  /** When the minute ends, in milliseconds since 1970. */
  readonly resetMs: number;
}

const MINUTE_S = 60;
/** A minute never ends later than this from now, unless the clock was set back. */
const MINUTE_MS = MINUTE_S * 1_000;

/**
 * Callers that one process knows. The library evicts them only by time, and a network has more addresses than fit into
 * memory, so the caller not seen for longest starts anew.
 */
const MAX_CALLERS = 20_000;

/** A limit per minute on each caller, shared by the replicas of a store, whose loss is reported elsewhere. */
type Policy = ReturnType<typeof createPolicy>;

/** Creates a policy. */
export function createPolicy(name: string, limit: number, store: Redis | null) {
  const settings = { points: limit, duration: MINUTE_S, keyPrefix: `caller-${name}` };
  const memory = new RateLimiterMemory(settings);
  const seen = createLru<LimitStatus>(MAX_CALLERS, {
    dispose: (_, callerId, reason) => void (reason === 'evict' && memory.delete(callerId)),
  });
  const limiter =
    store === null ? memory : new RateLimiterRedis({ ...settings, storeClient: store, insuranceLimiter: memory });

  /** What a caller had when this process took last; null if it did not in this minute. */
  function known(callerId: string): LimitStatus | null {
    const status = seen.get(callerId);
    const msLeft = (status?.resetMs ?? 0) - Date.now();
    return status !== undefined && msLeft > 0 && msLeft <= MINUTE_MS ? status : null;
  }

  return {
    name,
    limit,
    known,
    /** Takes points, even more than are left; a negative number gives some back. */
    async take(callerId: string, points = 1): Promise<LimitStatus> {
      const { remaining, resetMs: untilMs } = known(callerId) ?? { remaining: limit, resetMs: Date.now() + MINUTE_MS };
      const expected = statusOf(remaining - points, untilMs);
      // Whoever takes before the count is there goes on from here.
      seen.set(callerId, expected);
      const { consumedPoints, msBeforeNext } = await (points < 0
        ? limiter.reward(callerId, -points)
        : limiter.penalty(callerId, points));
      const status = statusOf(limit - consumedPoints, Date.now() + Math.min(msBeforeNext, MINUTE_MS));
      if (seen.get(callerId) === expected) seen.set(callerId, status);
      return status;
    },
  };
}

function statusOf(left: number, resetMs: number): LimitStatus {
  return { isRefused: left < 0, remaining: Math.max(0, left), resetMs };
}

/** Whole seconds until a time since 1970, at least one. */
function secondsTo(ms: number): number {
  return Math.max(1, Math.ceil((ms - Date.now()) / 1000));
}
