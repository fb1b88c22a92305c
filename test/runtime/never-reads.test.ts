import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { buildSchema } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { listenSubgraph } from '../../gateway/endpoint/subgraph-host.js';
import type { Log } from '../../kernel/log.js';
import type { Subgraph } from '../../kernel/operation.js';
import { boundResponses, holdBehind, UNREAD_BYTES } from '../../runtime/http/server.js';
import type { Metrics } from '../../runtime/process/metrics.js';
import { listenMetrics } from '../../runtime/process/metrics-listener.js';
import { POLLING } from '../polling.js';

const IDLE_MS = 200;
/** More than the system buffers for a connection. */
const LARGE = 'x'.repeat(32 * 1024 * 1024);

const closings: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

/** A log that records why connections were closed. */
function createLog(): { readonly log: Log; readonly reasons: unknown[] } {
  const reasons: unknown[] = [];
  const ignore = () => {};
  const warn = (fields: object) => reasons.push((fields as { reason?: unknown }).reason);
  return { log: { debug: ignore, info: ignore, warn, error: ignore } as unknown as Log, reasons };
}

/** Sends the text and reads nothing. */
function send(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(text);
  closings.push(() => socket.destroy());
  return socket;
}

const GET = 'GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n';

describe('A scraper that never reads its metrics', () => {
  async function listen(text: string) {
    const { log, reasons } = createLog();
    let requested = 0;
    const metrics = {
      contentType: 'text/plain',
      text: async () => {
        requested += 1;
        return text;
      },
    } as unknown as Metrics;
    const { port, close } = await listenMetrics({ metrics, host: '127.0.0.1', port: 0, idleMs: IDLE_MS, log });
    closings.push(close);
    return { port, reasons, requested: () => requested };
  }

  it('is closed when it takes nothing of them', async () => {
    const { port, reasons } = await listen(LARGE);
    send(port, GET);
    await expect.poll(() => reasons, POLLING).toEqual(['stalled']);
  });
});

describe('A caller of a subgraph that never reads its response', () => {
  it('is closed when it takes nothing of it, and others are served', async () => {
    const { log, reasons } = createLog();
    const schema = buildSchema('type Query { large: String small: String }');
    Object.assign(schema.getQueryType()!.getFields()['large']!, { resolve: () => LARGE });
    Object.assign(schema.getQueryType()!.getFields()['small']!, { resolve: () => 'small' });
    const subgraph: Subgraph = {
      name: 'volunteering',
      schema,
      contextFor: (operation) => ({ operation }),
      status: () => ({ state: 'UP', upstream: 'sandbox' }),
      figures: () => ({}) as never,
      version: () => null,
      close: async () => {},
    };
    const listener = await listenSubgraph({
      phase: () => 'ready',
      ...{ subgraph, host: '127.0.0.1', port: 0, subgraphTokens: [], requestDeadlineMs: IDLE_MS, log },
      mintCredential: () => {
        throw new Error('No credential is sent.');
      },
    });
    closings.push(listener.close);
    const body = JSON.stringify({ query: '{ large }' });
    const head = `POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    send(Number(new URL(listener.url).port), `${head}\r\n\r\n${body}`);
    await expect.poll(() => reasons, POLLING).toEqual(['stalled']);
    const other = await fetch(listener.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ small }' }),
    });
    expect(await other.json()).toEqual({ data: { small: 'small' } });
  });
});

describe('What stands behind streamed responses', () => {
  /** Endless streams, each with a little over a third of the unread bytes allowed in all waiting behind it. */
  async function listen(): Promise<{ readonly reasons: unknown[]; readonly port: number }> {
    const { log, reasons } = createLog();
    const server = fastify();
    boundResponses(server, 60_000, log);
    server.get('/metrics', (_request, reply) => {
      const endless = new Readable({ read: () => {} });
      endless.push('the first bytes');
      return reply.send(holdBehind(endless, Math.ceil(UNREAD_BYTES / 3) + 1));
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    closings.push(() => server.close());
    return { reasons, port: (server.server.address() as AddressInfo).port };
  }

  it('counts as unread: who has waited longest is closed when it becomes too much', async () => {
    const { reasons, port } = await listen();
    const first = send(port, GET).resume();
    await once(first, 'data');
    for (const _ of ['second', 'third']) await once(send(port, GET).resume(), 'data');
    await expect.poll(() => reasons, POLLING).toEqual(['too much unread']);
    if (!first.destroyed) await once(first, 'close');
  });
});
