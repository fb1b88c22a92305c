import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliDecompress,
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  gunzipSync,
  inflate,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib';
import { TransportFailure } from './transport.js';

/** `accept-encoding` of a request. The services compress at their proxies (work-study 2). */
export const ACCEPT_ENCODING = 'gzip, br, deflate';

/** How a whole body is decompressed. */
interface Decompress {
  inThread(body: Buffer, options: ZlibOptions & BrotliOptions): Promise<Buffer>;
  atOnce(body: Buffer, options: ZlibOptions & BrotliOptions): Buffer;
}

const GZIP: Decompress = { inThread: promisify<Buffer, ZlibOptions, Buffer>(gunzip), atOnce: gunzipSync };
const DEFLATE: Decompress = { inThread: promisify<Buffer, ZlibOptions, Buffer>(inflate), atOnce: inflateSync };
const BROTLI: Decompress = {
  inThread: promisify<Buffer, BrotliOptions, Buffer>(brotliDecompress),
  atOnce: brotliDecompressSync,
};

const whole = new Map([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', DEFLATE],
  ['br', BROTLI],
]);

/** Decompressing at most this many bytes, into at most so many, takes less time than waking up a thread. */
const SMALL_BYTES = 4 * 1024;
const SMALL_DECODED_BYTES = 64 * 1024;

const streams = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The decompressed body. Fails as `too-large` as soon as it would exceed `maxBytes`. */
export async function decode(body: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  if (isPlain(encoding) || body.length === 0) return body;
  const decompress = whole.get(encoding.toLowerCase());
  if (decompress === undefined)
    throw new TransportFailure('unreadable', new Error('An encoding that was not requested.'));
  const small = body.length > SMALL_BYTES ? null : decodeSmall(body, decompress, maxBytes);
  if (small !== null) return small;
  try {
    return await decompress.inThread(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw new TransportFailure(tooLarge ? 'too-large' : 'unreadable', error);
  }
}

/** Null for a body that is larger than it seems, or broken; decompressing it in a thread then raises the error. */
function decodeSmall(body: Buffer, { atOnce }: Decompress, maxBytes: number): Buffer | null {
  try {
    return atOnce(body, { maxOutputLength: Math.min(maxBytes, SMALL_DECODED_BYTES) });
  } catch {
    return null;
  }
}

/** Like `decode`, for a body that is read as it arrives. Leaving the iteration destroys the source. */
export async function* decoded(
  source: Readable,
  encoding: string | undefined,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of unpacked(source, encoding)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new TransportFailure('too-large');
      yield chunk;
    }
  } catch (error) {
    throw error instanceof TransportFailure ? error : new TransportFailure('cut', error);
  } finally {
    source.destroy();
  }
}

function unpacked(source: Readable, encoding: string | undefined): AsyncIterable<Uint8Array> {
  if (isPlain(encoding)) return source;
  const create = streams.get(encoding.toLowerCase());
  if (create === undefined) throw new TransportFailure('unreadable', new Error('An encoding that was not requested.'));
  // The callback only marks the error as handled: the error ends the iteration too.
  return pipeline(source, create(), () => {});
}

function isPlain(encoding: string | undefined): encoding is undefined | 'identity' | '' {
  return encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity';
}
