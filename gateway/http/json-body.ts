import type { Readable } from 'node:stream';
import { readBodyText } from '../../runtime/http/request-body.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { BODY_BYTES, KEYED_BODY_BYTES, tooLarge } from './body-size.js';
import { decompress } from './compression.js';
import { parseJson } from './parse-json.js';
import { RequestError } from './request-error.js';

/** Bytes of large bodies that may be in memory at once, over all connections. */
const LARGE_BODIES_BYTES = 256 * 1024 * 1024;

/** Reads the JSON body of a request; undefined if it is empty. Rejects with a RequestError. */
export type ReadJsonBody = (headers: RequestHeaders, payload: Readable) => Promise<unknown>;

/**
 * Creates a reader that bounds each body in bytes (before and after decompression), values and depth, and the sum of
 * all large bodies in bytes.
 */
export function createBodyReader(): ReadJsonBody {
  let largeBytes = 0;
  /** Whether that many more bytes are available; a negative number releases them. */
  const reserve = (bytes: number): boolean => {
    if (bytes > 0 && largeBytes + bytes > LARGE_BODIES_BYTES) return false;
    largeBytes += bytes;
    return true;
  };
  return async (headers, payload) => {
    const maxBytes = oneHeader(headers, 'x-work-study-key')?.trim() ? KEYED_BODY_BYTES : BODY_BYTES;
    const sent = await receive(payload, { maxBytes, announced: oneHeader(headers, 'content-length'), reserve });
    const encoding = (oneHeader(headers, 'content-encoding') ?? 'identity').trim().toLowerCase();
    return parseJsonBody(headers, encoding === 'identity' ? sent : await decompress(sent, encoding, maxBytes));
  };
}

/** Reads a body that has arrived; undefined if it is empty. Throws a RequestError. */
export function parseJsonBody(headers: RequestHeaders, body: Buffer): unknown {
  // Some clients send a content type with every request, even without a body, such as for a logout.
  if (body.length === 0) return undefined;
  const text = readBodyText(oneHeader(headers, 'content-type'), body);
  if (typeof text !== 'string') throw new RequestError(text.status, text.message);
  return parseJson(text, 'The body');
}

/** The error for a body that did not arrive completely. */
export function incomplete(): RequestError {
  return new RequestError(400, 'The body is incomplete.');
}

interface Receiving {
  readonly maxBytes: number;
  /** The `content-length`. */
  readonly announced: string | undefined;
  reserve(bytes: number): boolean;
}

/** A refused body is still read, and discarded, so that the client gets the response. */
function receive(payload: Readable, { maxBytes, announced, reserve }: Receiving): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    let reserved = 0;
    const release = () => {
      reserve(-reserved);
      reserved = 0;
    };
    const refuse = (error: RequestError) => {
      chunks = [];
      release();
      payload.removeListener('data', onData).resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return refuse(tooLarge(maxBytes));
      if (bytes > BODY_BYTES) {
        if (!reserve(chunk.length)) return refuse(tooManyLarge());
        reserved += chunk.length;
      }
      chunks.push(chunk);
    };
    payload.once('error', () => refuse(incomplete()));
    if (Number(announced) > maxBytes) return refuse(tooLarge(maxBytes));
    payload.on('data', onData).once('end', () => {
      release();
      resolve(Buffer.concat(chunks));
    });
  });
}

function tooManyLarge(): RequestError {
  return new RequestError(503, 'Too many large bodies are arriving at the moment: try again in a few seconds.', {
    code: 'GATEWAY_UNAVAILABLE',
    headers: { 'retry-after': '5' },
  });
}
