import { stringify } from 'node:querystring';
import type { Platform } from './platform.js';

/**
 * The client's address with the reply appended: the redirect URI's own query, then code or error, then state. A URL
 * parser rewrites the URI, and gives an empty path its `/` (waste-identity 3.4). Switches of the platform alter `state`
 * and `iss`.
 */
export function clientRedirect(
  platform: Platform,
  to: { readonly redirectUri: string; readonly state: string | undefined },
  reply: { readonly code: string } | { readonly error: string },
): string {
  const url = new URL(to.redirectUri);
  const parameters = [stringify({ ...reply }), ...stateOf(to.state, platform), ...issuerOf(url, platform)];
  url.search = [url.search.slice(1), ...parameters].filter((part) => part !== '').join('&');
  return url.href;
}

function stateOf(state: string | undefined, { switches }: Platform): string[] {
  if (state === undefined || switches.state === 'dropped') return [];
  const sent = stringify({ state: switches.state === 'altered' ? `${state}x` : state });
  return switches.state === 'duplicated' ? [sent, sent] : [sent];
}

function issuerOf(url: URL, { switches, uiUrl }: Platform): string[] {
  if (switches.iss === 'absent') return [];
  return [stringify({ iss: switches.iss === 'wrong' ? `${url.origin}/another-issuer` : uiUrl() })];
}
