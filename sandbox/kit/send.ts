import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { Answer } from './answer.js';
import { sendBadly } from './send-badly.js';
import type { Fault } from './types.js';

export interface Sending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Bytes from which JSON is compressed for clients that ask for gzip; Infinity never. */
  readonly gzipFrom: number;
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal;
}

/** Sends an answer whole, or as badly as the fault says. */
export function sendAnswer(answer: Answer, fault: Fault | undefined, sending: Sending): Promise<void> {
  return (fault && sendBadly(answer, fault, sending)) ?? sendWell(answer, sending);
}

async function sendWell(answer: Answer, sending: Sending): Promise<void> {
  const { body = '' } = answer;
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return sendStream(answer, sending, answer.compress !== false && asksForGzip(sending));
  let bytes: Buffer = Buffer.from(body);
  const headers: Record<string, string> = { ...answer.headers };
  if (answer.compress !== false && bytes.length >= sending.gzipFrom && isJson(headers)) {
    headers['vary'] = headers['vary'] === undefined ? 'Accept-Encoding' : `${headers['vary']}, Accept-Encoding`;
    if (asksForGzip(sending)) {
      bytes = gzipSync(bytes, { level: 1 });
      headers['content-encoding'] = 'gzip';
    }
  }
  if (answer.status !== 204 && answer.status !== 304) headers['content-length'] ??= String(bytes.length);
  sending.response.writeHead(answer.status, headers);
  sending.response.end(bytes);
}

async function sendStream(answer: Answer, { request, response }: Sending, gzip: boolean): Promise<void> {
  const { body = '' } = answer;
  response.writeHead(answer.status, gzip ? { ...answer.headers, 'content-encoding': 'gzip' } : { ...answer.headers });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const source = Readable.from(body instanceof Uint8Array || typeof body === 'string' ? [body] : body, {
    objectMode: false,
  });
  await (gzip ? pipeline(source, createGzip({ level: 1 }), response) : pipeline(source, response));
}

function asksForGzip({ request, gzipFrom }: Sending): boolean {
  return gzipFrom !== Number.POSITIVE_INFINITY && /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
}

function isJson(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}
