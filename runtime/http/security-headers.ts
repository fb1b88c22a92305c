import type { Server } from 'node:http';

/**
 * What every answer tells browsers unless it knows better, as pages do: it is what its type says, it is no document
 * that runs, loads or may be framed, it sends no address on, and no page of another origin embeds it.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Puts them on every answer of a server, before anything that answers has seen the request. */
export function secureAnswers(server: Server): void {
  server.prependListener('request', (_request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  });
}
