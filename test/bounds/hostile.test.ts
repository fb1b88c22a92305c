import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { POLLING } from '../polling.js';
import { HOSTILE_REQUESTS } from './hostile-requests.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import type { SmallOperation } from './support/neighbour.js';
import { queryBody, type Received, send } from './support/send.js';
import { learnSmallOperations } from './support/small-operations.js';
import { openWatch, type Watch } from './support/watch.js';

/** Pieces of the calibrating work, of about ten milliseconds each: three times what the slowest of them takes. */
const LONGEST_STALL = 20;
/** What a refusal may grow to, garbage included, and what it may leave behind. */
const PEAK_MB = 80;
const HELD_MB = 8;
const REFUSAL_BYTES = 4_000;

/** Also how long a client may take nothing. On a busy machine all the responses have to be made within it. */
const DEADLINE_MS = '20000';

let stack: MeteredStack;
let smallOperations: readonly SmallOperation[];

beforeAll(async () => {
  stack = await startMeteredStack({ REQUEST_DEADLINE_MS: DEADLINE_MS });
  smallOperations = await learnSmallOperations(stack);
  // What caches hold is bounded elsewhere.
  await send(stack.server.url, { body: queryBody('{ missions(first: 5869) { nodes { description } } }') });
});

afterAll(() => stack?.close());

describe('A hostile request hurts nobody', () => {
  let watch: Watch;
  beforeAll(async () => {
    watch = await openWatch(stack.server, smallOperations);
  });

  test.each(HOSTILE_REQUESTS)('$name', async (request) => {
    const { sent, status, code, errors = 1, bytes = REFUSAL_BYTES, peakMb = PEAK_MB } = request;
    const seen = await watch(() => send(stack.server.url, sent));
    const reported = errorsOf(seen.result);
    expect({ status: seen.result.status, code: reported[0]?.extensions?.code ?? null }).toEqual({ status, code });
    expect(seen.result.headers['x-content-type-options']).toBe('nosniff');
    expect(reported.length).toBeLessThanOrEqual(errors);
    expect(seen.result.bytes).toBeLessThanOrEqual(bytes);
    expect(seen.stall).toBeLessThan(LONGEST_STALL);
    expect(seen.peakMb).toBeLessThan(peakMb);
    expect(seen.heldMb).toBeLessThan(HELD_MB);
    expect(seen.neighbour.wrong).toEqual([]);
  });
});

interface ReportedError {
  readonly extensions?: { readonly code?: string };
}

function errorsOf({ text, headers }: Received): readonly ReportedError[] {
  if (String(headers['content-type']).startsWith('text/csv')) return [];
  const { errors = [] } = JSON.parse(text) as { errors?: ReportedError[] };
  return errors;
}

const CLIENTS = 3;
const ALIASES = 70;
/** Of what is left when nobody is left: caches that the queries filled, and garbage of the moment. */
const LEFT_MB = 24;

/** Twelve megabytes or so of descriptions, from one call that the cache has. */
const LARGE = queryBody(
  `{ missions(first: 500) { nodes { ${Array.from({ length: ALIASES }, (_, alias) => `a${alias}: descriptionHtml`).join(' ')} } } }`,
);

/** Asks and reads nothing; resolves once the first bytes of the response have come. */
async function sendAndLeave(body: string): Promise<Socket> {
  const { hostname, port } = new URL(stack.server.url);
  const socket = connect(Number(port), hostname);
  const lines = ['POST /graphql HTTP/1.1', 'host: a', 'content-type: application/json'];
  socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await once(socket, 'readable');
  return socket;
}

/** Resolves once the server has closed the connection: only who writes learns of it without reading. */
async function closedByServer(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  await vi.waitFor(() => {
    // Between requests, an empty line is nothing.
    socket.write('\r\n');
    expect(socket.destroyed).toBe(true);
  }, POLLING);
}

describe('Clients that ask and never read', () => {
  test('lose their connections and their responses, and others are served meanwhile', async () => {
    // More than the system takes from us on its own, or nothing would be left unread.
    expect(await bytesOf(LARGE)).toBeGreaterThan(10e6);
    const watch = await openWatch(stack.server, smallOperations);
    const seen = await watch(async () => {
      const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => sendAndLeave(LARGE)));
      for (const socket of sockets) await closedByServer(socket);
    });
    expect(seen.heldMb).toBeLessThan(LEFT_MB);
    expect(seen.neighbour.wrong).toEqual([]);
    expect(seen.neighbour.requests).toBeGreaterThan(0);
  });
});

/** Bytes of the whole response. */
async function bytesOf(body: string): Promise<number> {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body,
  });
  return (await response.arrayBuffer()).byteLength;
}
