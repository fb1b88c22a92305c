import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { Reply } from './reply.js';
import { sendFaulty } from './send-faulty.js';
import type { Fault } from './types.js';

/** The request, its response, and how to send it. */
export interface SendContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Smallest JSON body, in bytes, that is compressed for clients that accept gzip; Infinity for none. */
  readonly gzipFrom: number;
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal;
}

/** Sends a reply, with a transport fault if there is one. */
export function sendReply(reply: Reply, fault: Fault | undefined, sending: SendContext): Promise<void> {
  return (fault && sendFaulty(reply, fault, sending)) ?? sendIntact(reply, sending);
}

async function sendIntact(reply: Reply, sending: SendContext): Promise<void> {
  const { body = '' } = reply;
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return sendStream(reply, sending, reply.compress !== false && acceptsGzip(sending));
  let bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const headers: Record<string, string> = { ...reply.headers };
  if (reply.compress !== false && bytes.length >= sending.gzipFrom && isJson(headers)) {
    headers['vary'] = headers['vary'] === undefined ? 'Accept-Encoding' : `${headers['vary']}, Accept-Encoding`;
    if (acceptsGzip(sending)) {
      bytes = gzipSync(bytes, { level: 1 });
      headers['content-encoding'] = 'gzip';
    }
  }
  if (reply.status !== 204 && reply.status !== 304) headers['content-length'] ??= String(bytes.length);
  sending.response.writeHead(reply.status, headers);
  sending.response.end(bytes);
}

async function sendStream(reply: Reply, { request, response }: SendContext, gzip: boolean): Promise<void> {
  const { body = '' } = reply;
  response.writeHead(reply.status, gzip ? { ...reply.headers, 'content-encoding': 'gzip' } : { ...reply.headers });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const source = Readable.from(body instanceof Uint8Array || typeof body === 'string' ? [body] : body, {
    objectMode: false,
  });
  await (gzip ? pipeline(source, createGzip({ level: 1 }), response) : pipeline(source, response));
}

function acceptsGzip({ request, gzipFrom }: SendContext): boolean {
  return gzipFrom !== Number.POSITIVE_INFINITY && /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
}

function isJson(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}
