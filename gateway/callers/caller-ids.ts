import { SERVICES, type ServiceName } from '../../kernel/services.js';
import { createLru } from '../../runtime/stores/lru.js';
import type { CallerCredentials } from '../request/request.js';
import type { Addresses, Arrived } from './addresses.js';
import type { Policy } from './policy.js';

/** What callers are counted by: a keyed hash of their own key, else of their session's token, else of their address. */
export interface CallerIds {
  of(request: Arrived, credentials: CallerCredentials): Promise<string>;
  /** Synchronous; null for an unknown key from an address that may still bring new keys. */
  now(request: Arrived, credentials: CallerCredentials): string | null;
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
  addresses: Addresses,
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

  function ofAddress(request: Arrived): string {
    const address = addresses.of(request);
    const known = ofAddresses.get(address);
    if (known !== undefined) return known.callerId;
    // Headers cannot contain this character, so no key that a caller sends can get the id of an address.
    const callerId = hashOf(`\0address ${address}`);
    ofAddresses.set(address, { callerId });
    return callerId;
  }

  return {
    ofAddress,
    now(request, credentials) {
      const own = ownFingerprint(credentials);
      if (own === null) return ofAddress(request);
      if (keys === null) return own;
      const known = knownId(own);
      if (known !== null) return known;
      const address = ofAddress(request);
      return keys.standing(address)?.isRefused === true ? address : null;
    },
    async of(request, credentials) {
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
