import type { Server, ServerResponse } from 'node:http';

/**
 * Headers of every response unless it sets its own, as pages do: no type sniffing; no document that runs, loads or may
 * be framed; no referrer; and no embedding by pages of other origins.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Sets them on every response of a server, before any handler sees the request. */
export function secureResponses(server: Server): void {
  server.prependListener('request', (_request, response) => secureResponse(response));
}

/** Sets them on one response. */
export function secureResponse(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}
