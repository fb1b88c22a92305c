import { createLru } from '../../runtime/stores/lru.js';
import { SERVICES } from '../../schema/services.js';
import type { CallerCredentials } from '../request/credentials.js';
import type { Addresses, Arrived } from './addresses.js';
import type { Policy } from './policy.js';

/** What callers are counted by: a keyed hash of their own key, else of their session's token, else of their address. */
export interface CallerMarks {
  of(request: Arrived, credentials: CallerCredentials): Promise<string>;
  /** Null for a key that is not known yet. */
  now(request: Arrived, credentials: CallerCredentials): string | null;
  ofAddress(request: Arrived): string;
}

/** Marks that are known without a hash. */
const MAX_MARKS = 10_000;

/** Creates the marks. `keys` says how many keys an address may bring: who invents more is counted by address. */
export function createCallerMarks(
  addresses: Addresses,
  markOf: (text: string) => string,
  keys: Policy | null,
): CallerMarks {
  const ofAddresses = createLru<{ readonly mark: string }>(MAX_MARKS);
  const ofKeys = createLru<{ readonly mark: string }>(MAX_MARKS, { ttl: 60_000 });

  function ofAddress(request: Arrived): string {
    const address = addresses.of(request);
    const known = ofAddresses.get(address) ?? { mark: markOf(`address ${address}`) };
    ofAddresses.set(address, known);
    return known.mark;
  }

  return {
    ofAddress,
    now(request, credentials) {
      const own = ownFingerprint(credentials);
      if (own === null) return ofAddress(request);
      return keys === null ? own : (ofKeys.get(own)?.mark ?? null);
    },
    async of(request, credentials) {
      const own = ownFingerprint(credentials);
      if (own === null) return ofAddress(request);
      const known = ofKeys.get(own);
      if (known !== undefined) return known.mark;
      const address = ofAddress(request);
      const mark = (await keys?.take(address))?.isRefused === true ? address : own;
      ofKeys.set(own, { mark });
      return mark;
    },
  };
}

/** Null for a caller without any. */
function ownFingerprint(credentials: CallerCredentials): string | null {
  for (const service of SERVICES) {
    const credential = credentials[service];
    if (credential !== null) return credential.fingerprint;
  }
  return null;
}
