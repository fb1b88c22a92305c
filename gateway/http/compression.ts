import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliDecompress,
  constants,
  createBrotliCompress,
  createGzip,
  gunzip,
  gzip,
  inflate,
} from 'node:zlib';
import { tooLarge } from './body-size.js';
import type { Encoding } from './negotiation.js';
import { RequestError } from './request-error.js';

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };
const decompressors = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
};

/** Smaller responses are not compressed: it would cost more than it saves. */
export const MIN_COMPRESSED_BYTES = 1024;

/** Measured: 255 kB of JSON take 0.6 ms at quality 4 and 204 ms at 11. */
const BROTLI_QUALITY = 4;

/** Compresses a complete body, off the main thread. */
export function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return compressors.gzip(body);
  return compressors.br(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}

/** Compresses a body as it is written. A failure on either side ends both. */
export function compressStream(body: Readable, encoding: Encoding): Readable {
  const compressor =
    encoding === 'gzip'
      ? createGzip()
      : createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  pipeline(body, compressor, () => {});
  return compressor;
}

/** A higher compression ratio is an attack. JSON with long lists of codes reaches thirty. */
const MAX_EXPANSION = 100;

/** Bytes that any body may decompress to: short ones may be repetitive. */
const MIN_EXPANSION_BYTES = 64 * 1024;

/**
 * Decompresses a body by its `content-encoding`. Throws a RequestError: 415 for an unknown encoding, 413 as soon as the
 * result exceeds `maxBytes` or the ratio above, 400 if the body is not in that encoding.
 */
export async function decompress(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  if (!Object.hasOwn(decompressors, encoding)) {
    throw new RequestError(415, 'The encoding of a body is gzip, deflate or br.', {
      headers: { 'accept-encoding': 'gzip, deflate, br' },
    });
  }
  const expandedBytes = Math.max(MIN_EXPANSION_BYTES, body.length * MAX_EXPANSION);
  const maxOutputLength = Math.min(maxBytes, expandedBytes);
  try {
    return await decompressors[encoding as keyof typeof decompressors](body, { maxOutputLength });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw maxOutputLength === maxBytes ? tooLarge(maxBytes) : expandsTooFar();
    }
    throw new RequestError(400, `The body is not encoded with ${encoding}, as its header says.`);
  }
}

function expandsTooFar(): RequestError {
  return new RequestError(413, `The body decompresses to more than ${MAX_EXPANSION} times its size.`);
}
