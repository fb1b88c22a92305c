import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { Answer } from './answer.js';
import { wholeBody } from './faults.js';
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
export async function sendAnswer(answer: Answer, fault: Fault | undefined, sending: Sending): Promise<void> {
  switch (fault?.kind) {
    case 'cut':
      return sendHalf(answer, sending, (response) => response.socket?.destroy());
    case 'reset-mid-body':
      return sendHalf(answer, sending, async ({ socket }) => {
        // A reset that arrives together with the bytes looks like an ordinary end to the client: let it read them first.
        await sleep(20);
        socket?.resetAndDestroy();
      });
    case 'wrong-length':
      return sendWrongLength(answer, sending);
    case 'drip':
      return sendDrip(answer, fault, sending);
    case 'gzip-bomb':
      return sendStream(answer, sending, true);
    case 'big-body':
      return sendStream(answer, sending, false);
    default:
      return sendWell(answer, sending);
  }
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

/** Half of the body, without a length, then the end of the connection as given. */
async function sendHalf(
  answer: Answer,
  { response }: Sending,
  end: (response: ServerResponse) => unknown,
): Promise<void> {
  const bytes = await wholeBody(answer);
  response.writeHead(answer.status, { ...answer.headers });
  await new Promise<void>((resolve) => {
    response.write(bytes.subarray(0, Math.max(1, bytes.length >> 1)), () => resolve());
  });
  await end(response);
}

/** The whole body under a length that promises ten bytes more, then the end of the connection. */
async function sendWrongLength(answer: Answer, { response }: Sending): Promise<void> {
  const bytes = await wholeBody(answer);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(bytes.length + 10) });
  await new Promise<void>((resolve) => {
    response.write(bytes, () => resolve());
  });
  response.socket?.destroy();
}

async function sendDrip(answer: Answer, fault: Fault, { response, signal }: Sending): Promise<void> {
  const bytes = await wholeBody(answer);
  const step = fault.bytes ?? 1;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(bytes.length) });
  for (let sent = 0; sent < bytes.length; sent += step) {
    response.write(bytes.subarray(sent, sent + step));
    await sleep(fault.ms ?? 10, undefined, { signal });
  }
  response.end();
}

function asksForGzip({ request, gzipFrom }: Sending): boolean {
  return gzipFrom !== Number.POSITIVE_INFINITY && /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
}

function isJson(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}
