import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Responder = (request: SeenRequest, response: ServerResponse, incoming: IncomingMessage) => void;

/** A real HTTP server on loopback that responds as a test says and records its requests. */
export interface WireServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** How requests are answered from now on. */
  respond: Responder;
  /** Resolves when this many requests have arrived since the start. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startWireServer(respond: Responder = json({})): Promise<WireServer> {
  const seen: SeenRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request: SeenRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    seen.push(request);
    started.respond(request, response, incoming);
    for (const one of waiting.filter(({ count }) => seen.length >= count)) one.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const started: WireServer = {
    url: `http://127.0.0.1:${port}`,
    seen,
    respond,
    arrived: (count) =>
      seen.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return started;
}

/** Answers with JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Responder {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers with a text that is not JSON. */
export function plain(body: string, status: number, headers: Record<string, string> = {}): Responder {
  return (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}
