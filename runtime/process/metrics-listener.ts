import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../kernel/log.js';
import { isLoopback } from '../configuration/configuration.js';
import { publicNameIn } from '../http/request-headers.js';
import { ARRIVAL, refuseUnreadable, secureResponses, watchUnread } from '../http/server.js';
import type { Metrics } from './metrics.js';

/** A listener that is open until it is closed. */
interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** What is read of metrics. */
export type ReadableMetrics = Pick<Metrics, 'text' | 'contentType' | 'sources'>;

/** The metrics, and the address that they are exposed on. */
interface MetricsListenerOptions {
  readonly metrics: ReadableMetrics;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Milliseconds within which a scraper must read some of its response; 10 s if omitted. */
  readonly idleMs?: number;
  readonly log: Log;
}

/** Scrapers are near and quick. */
const IDLE_MS = 10_000;

/** What is served at a path; null for nothing. */
function read(metrics: ReadableMetrics, path = ''): Promise<{ readonly type: string; readonly text: string }> | null {
  if (path === '/metrics') return metrics.text().then((text) => ({ type: metrics.contentType, text }));
  if (path !== '/sources') return null;
  return metrics.sources()?.then((sources) => ({ type: 'application/json', text: JSON.stringify(sources) })) ?? null;
}

/**
 * Serves `GET /metrics`, and at `GET /sources` what the process knows of its sources, on a listener of its own, so that
 * they need not be as public as the graph.
 */
export async function listenMetrics(options: MetricsListenerOptions): Promise<Listener> {
  const { metrics, host, port, idleMs = IDLE_MS, log } = options;
  const server = createServer(ARRIVAL, (request, response) => {
    if (isLoopback(host) && publicNameIn(request.headers) !== null) {
      response.writeHead(421).end();
      return;
    }
    const found = request.method === 'GET' ? read(metrics, request.url) : null;
    if (found === null) {
      response.writeHead(404).end();
      return;
    }
    found.then(
      ({ type, text }) => response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  secureResponses(server);
  server.on('clientError', refuseUnreadable(log));
  watchUnread(server, {
    idleMs,
    closed: (reason) => log.warn({ reason }, 'closed a connection that does not read its metrics'),
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
