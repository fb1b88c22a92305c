import type { Log } from '../../kernel/log.js';
import { isLoopback } from '../../runtime/configuration/configuration.js';
import { oneHeader, publicNameIn, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { RequestError } from '../http/request-error.js';

/*
 * The names that this gateway answers to, against DNS rebinding: a stranger lets a name of theirs resolve to our address,
 * and a browser then takes their page and us for one origin. Their name is in `Host`, which no page can change. Answered
 * are our own name (`PUBLIC_URL`), addresses, and names that nobody can register; any name at all where we cannot know
 * ours, which is without `PUBLIC_URL` beyond loopback or behind a proxy.
 */

/** Refuses requests to names that are not ours. */
export interface KnownHosts {
  /** Why a request is refused, with status 421; null if it is answered. The first refusal of each name is logged. */
  refuse(headers: RequestHeaders): RequestError | null;
  /** Call it with the host that the gateway listens on, before its first request. */
  listensOn(host: string): void;
}

interface KnownHostsOptions {
  readonly publicUrl: string | null;
  /** Whether a proxy is trusted, which may pass on any name. */
  readonly isProxied: boolean;
  readonly log: Log;
}

/** Names that are logged in an hour: to see a proxy that passes on another name, and few compared with what can be sent. */
const LOGGED_NAMES = 20;
const HOUR_MS = 3600_000;
const LOGGED_LENGTH = 100;

/** Creates it for a gateway that listens beyond loopback. */
export function createKnownHosts({ publicUrl, isProxied, log }: KnownHostsOptions): KnownHosts {
  const own = publicUrl === null ? null : new URL(publicUrl).hostname;
  let isChecked = own !== null;
  /** The last value of `Host` that was answered: nearly all requests have the same. */
  let answered: string | undefined;
  const logged = new Set<string>();
  let clearedAtMs = performance.now();

  function tell(name: string): void {
    if (performance.now() - clearedAtMs >= HOUR_MS) {
      logged.clear();
      clearedAtMs = performance.now();
    }
    const host = name.slice(0, LOGGED_LENGTH);
    if (logged.has(host) || logged.size >= LOGGED_NAMES) return;
    logged.add(host);
    log.warn(
      { host },
      'refused a name in Host that is not of PUBLIC_URL: a proxy passes it on, or a stranger sends it',
    );
  }

  return {
    refuse(headers) {
      const host = oneHeader(headers, 'host');
      if (!isChecked || (host !== undefined && host === answered)) return null;
      const name = publicNameIn(headers);
      if (name === null || name === own) {
        answered = host;
        return null;
      }
      tell(name);
      return new RequestError(421, 'This gateway does not answer to the name in Host: PUBLIC_URL says which it has.');
    },
    listensOn(host) {
      isChecked = own !== null || (isLoopback(host) && !isProxied);
    },
  };
}
