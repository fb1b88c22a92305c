import { BlockList, isIP, isIPv6 } from 'node:net';
import { createLru } from '../../kernel/caches.js';
import { SERVICE_ENTRIES, SERVICES, type ServiceName } from '../../kernel/services.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import type { CallerCredentials } from '../request/request.js';
import type { Policy } from './rate-limit.js';

/** What a caller is recognised by, besides their address. */
export interface Recognised {
  readonly credentials: CallerCredentials;
  /** Keyed hash of the user of their session, who may have any number of sessions; null without one. */
  readonly user: string | null;
}

/** What callers are counted by: a keyed hash of the user of their session, else of their key, else of their address. */
interface CallerIds {
  of(request: Arrived, caller: Recognised): Promise<string>;
  /** Synchronous; null for an unknown key from an address that may still bring new keys. */
  now(request: Arrived, caller: Recognised): string | null;
  /** What an admitted request counts by. */
  admitted(request: Arrived, caller: Recognised): string;
  /**
   * The same, first, and whatever else its upstream calls count by: those of a token count for all tokens of its address
   * too, since a user may have any number of tokens.
   */
  ofCalls(request: Arrived, caller: Recognised): readonly [string, ...string[]];
  ofAddress(request: Arrived): string;
  /** Marks the caller's keys as accepted by these services: each counts on its own, whatever its address sends. */
  confirm(credentials: CallerCredentials, services: Iterable<ServiceName>): void;
}

/** Ids that are cached to save hashing. */
const MAX_IDS = 10_000;

/** The caches share the policies' clock, which counts minutes. */
const WALL = { now: () => Date.now() };

/** How long a key that a service has accepted counts as real rather than invented. */
const CONFIRMED_MS = 3600_000;

/** Creates the ids. `keys` limits the new keys of an address; callers beyond the limit are counted by address. */
export function createCallerIds(
  proxies: TrustedProxies,
  hashOf: (text: string) => string,
  keys: Policy | null,
): CallerIds {
  const ofAddresses = createLru<{ readonly callerId: string }>(MAX_IDS);
  const ofKeys = createLru<{ readonly callerId: string }>(MAX_IDS, { ttl: 60_000, perf: WALL });
  const confirmed = createLru<{ readonly callerId: string }>(MAX_IDS, { ttl: CONFIRMED_MS, perf: WALL });
  const knownId = (own: string) => (confirmed.get(own) ?? ofKeys.get(own))?.callerId ?? null;

  /**
   * Null for a caller without any key. Prefers a key that its service has accepted: an invented one beside it must
   * neither be counted in its place nor pass for real.
   */
  function ownFingerprint(credentials: CallerCredentials): string | null {
    let first: string | null = null;
    for (const service of SERVICES) {
      const own = credentials[service]?.fingerprint;
      if (own === undefined) continue;
      if (confirmed.has(own)) return own;
      first ??= own;
    }
    return first;
  }

  // Headers cannot contain the first character, so no key that a caller sends can get the id of an address.
  function idOf(text: `\0${string}`): string {
    const known = ofAddresses.get(text);
    if (known !== undefined) return known.callerId;
    const callerId = hashOf(text);
    ofAddresses.set(text, { callerId });
    return callerId;
  }

  const ofAddress = (request: Arrived) => idOf(`\0address ${addressOf(request, proxies)}`);

  function now(request: Arrived, { credentials, user }: Recognised): string | null {
    if (user !== null) return user;
    const own = ownFingerprint(credentials);
    if (own === null) return ofAddress(request);
    if (keys === null) return own;
    const known = knownId(own);
    if (known !== null) return known;
    const address = ofAddress(request);
    return keys.status(address)?.isRefused === true ? address : null;
  }

  const admitted = (request: Arrived, caller: Recognised) => now(request, caller) ?? ofAddress(request);

  return {
    ofAddress,
    now,
    admitted,
    ofCalls(request, caller) {
      const { credentials, user } = caller;
      const hasToken = user === null && SERVICES.some((name) => credentials[name] !== null && isToken(name));
      const callerId = admitted(request, caller);
      return hasToken ? [callerId, idOf(`\0tokens ${addressOf(request, proxies)}`)] : [callerId];
    },
    async of(request, { credentials, user }) {
      if (user !== null) return user;
      const own = ownFingerprint(credentials);
      if (own === null) return ofAddress(request);
      const known = knownId(own);
      if (known !== null) return known;
      const address = ofAddress(request);
      const callerId = (await keys?.take(address))?.isRefused === true ? address : own;
      ofKeys.set(own, { callerId });
      return callerId;
    },
    confirm(credentials, services) {
      for (const service of services) {
        const own = credentials[service]?.fingerprint;
        if (own !== undefined) confirmed.set(own, { callerId: own });
      }
    },
  };
}

function isToken(service: ServiceName): boolean {
  return SERVICE_ENTRIES[service].credential.kind === 'token';
}

/** The parts of a node request that identify its caller. */
export interface Arrived {
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
  const own = plain(address);
  return proxies !== null && isIP(own) !== 0 && proxies.check(own, isIPv6(own) ? 'ipv6' : 'ipv4');
}

/**
 * The caller's address: the socket's or, behind a trusted proxy, the last forwarded one that is not a trusted proxy's.
 * For IPv6 it is the caller's whole network, whose addresses count as one.
 */
export function addressOf({ socket, headers }: Arrived, proxies: TrustedProxies): string {
  let address = plain(socket.remoteAddress ?? '');
  if (!isProxy(address, proxies)) return network(address);
  const forwarded = (oneHeader(headers, 'x-forwarded-for') ?? '').split(',');
  for (const text of forwarded.reverse()) {
    const hop = readHop(text.trim());
    if (isIP(hop) === 0) break;
    address = hop;
    if (!isProxy(hop, proxies)) break;
  }
  return network(address);
}

/** Normalizes an address as proxies write it: some add a port or brackets. */
function readHop(text: string): string {
  const [, bracketed, withPort] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = bracketed ?? withPort ?? text;
  return isIPv6(address) && !address.includes('%')
    ? plain(new URL(`http://[${address}]`).hostname.slice(1, -1))
    : address;
}

/** Writes an IPv4 address that arrived on an IPv6 socket as IPv4. */
function plain(address: string): string {
  if (!address.includes(':')) return address;
  if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address)) return address.slice(7);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return bits.flatMap((pair) => [pair >> 8, pair & 255]).join('.');
}

/** The first 64 bits of an IPv6 address; any other address unchanged. */
function network(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
