import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { FastifyServerOptions } from 'fastify';

/** Bytes of a request's address and headers: Node's own bound, named so that links written by the page respect it. */
export const HEADER_BYTES = 16 * 1024;

/**
 * Milliseconds in which a request must have arrived, its headers first, so that a client that sends a byte now and then
 * cannot hold a connection for longer. Node checks at intervals, so it may take one interval more.
 */
export const ARRIVAL = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: HEADER_BYTES,
} as const;

/** Milliseconds that a request still has to arrive once its server closes. */
export const LAST_ARRIVAL_MS = 1_000;

/** For servers whose routes have no schemas: fastify then loads neither of its compilers, a fifth of startup time. */
export const NO_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler },
};

function noCompiler(): never {
  throw new Error('No route of this server has a schema.');
}

/**
 * Rejects, as a listener would, for an address of another machine or a port that is taken: a start that will fail fails
 * before it has called anything. Port 0 is always free.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

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
