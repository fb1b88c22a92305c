import type { Server, ServerResponse } from 'node:http';

/**
 * What every response tells browsers unless it sets its own, as pages do: it is what its type says, it is no document
 * that runs, loads or may be framed, it sends no address on, and no page of another origin embeds it.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Sets them on every response of a server, before any handler has seen the request. */
export function secureResponses(server: Server): void {
  server.prependListener('request', (_request, response) => secureResponse(response));
}

/** Sets them on one response. */
export function secureResponse(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}
