import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { inUnits, isRecord, oneValue } from '../../kernel/text.js';
import { checkDocument, DOCUMENT_BOUNDS, parseJson, parseJsonBody } from './request-body.js';
import { RequestError } from './request-error.js';
import { oneHeader, type RequestHeaders } from './request-headers.js';

/* The parameters of a GraphQL request, and the JSON body that they arrive in: what is read is bounded first. */

/** The parameters of one GraphQL request, independent of the transport. */
export interface GraphqlParameters {
  readonly query: string | undefined;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown> | undefined;
  readonly extensions: Record<string, unknown> | undefined;
}

/** Longest operation name, in characters: messages repeat it. */
const NAME_LENGTH = 1_000;

/** Reads the parameters of a POST, a JSON object. Throws a RequestError for anything else, including batches. */
export function readBodyParameters(body: unknown): GraphqlParameters {
  if (Array.isArray(body)) throw new RequestError(400, 'Send one operation per request; batches are not supported.');
  if (!isRecord(body)) throw new RequestError(400, 'The body must be a JSON object with a `query`.');
  return checkParameters({
    query: optional(body, 'query', isText, 'text'),
    operationName: optional(body, 'operationName', isText, 'text') || undefined,
    variables: optional(body, 'variables', isRecord, 'an object'),
    extensions: optional(body, 'extensions', isRecord, 'an object'),
  });
}

/** Reads the parameters of a GET, with `variables` and `extensions` as JSON. Throws a RequestError or CodedError. */
export function readQueryParameters(search: URLSearchParams): GraphqlParameters {
  return checkParameters({
    query: oneValue(search, 'query'),
    operationName: oneValue(search, 'operationName') || undefined,
    variables: jsonObject(search, 'variables'),
    extensions: jsonObject(search, 'extensions'),
  });
}

function checkParameters(parameters: GraphqlParameters): GraphqlParameters {
  const { query, operationName, variables, extensions } = parameters;
  if (!query && extensions?.['persistedQuery'] === undefined) {
    throw new RequestError(400, 'The request has no `query`.');
  }
  if (query !== undefined) checkDocument(query, DOCUMENT_BOUNDS);
  if (operationName !== undefined && operationName.length > NAME_LENGTH) {
    throw new RequestError(400, `\`operationName\` is longer than ${NAME_LENGTH} characters.`);
  }
  checkVariables(variables);
  return { query: query || undefined, operationName, variables, extensions: readExtensions(extensions) };
}

/** The hash that a client sends for the text of a persisted query; undefined if there is none. */
export function persistedHashOf({ extensions }: Pick<GraphqlParameters, 'extensions'>): string | undefined {
  const { sha256Hash } = (extensions?.['persistedQuery'] ?? {}) as { sha256Hash?: unknown };
  return isText(sha256Hash) ? sha256Hash : undefined;
}

/**
 * Code generators write the algorithm before a hash. Apollo would refuse what is refused here without an error code,
 * which would look like an internal error.
 */
function readExtensions(extensions: GraphqlParameters['extensions']): GraphqlParameters['extensions'] {
  const persisted = extensions?.['persistedQuery'];
  if (persisted === undefined) return extensions;
  if (!isRecord(persisted)) throw new RequestError(400, '`extensions.persistedQuery` must be an object.');
  const { version, sha256Hash } = persisted;
  if (version !== 1 || !isText(sha256Hash)) {
    throw new RequestError(400, '`extensions.persistedQuery` must have `version` 1 and a `sha256Hash`.');
  }
  return { persistedQuery: { version, sha256Hash: sha256Hash.replace(/^sha256:/, '') } };
}

/**
 * JSON can encode a lone surrogate, which is not valid text and fits into no URL; and a number beyond the range of
 * doubles, which would be serialized as null, so that both would share what is cached for these variables.
 */
function checkVariables(value: unknown): void {
  if (isText(value) && /\p{Surrogate}/u.test(value)) {
    throw new RequestError(400, '`variables` hold text that is not Unicode.');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RequestError(400, '`variables` hold a number that is too large.');
  }
  if (typeof value !== 'object' || value === null) return;
  // The depth of the JSON was checked before it was parsed.
  for (const part of Object.values(value)) checkVariables(part);
}

function optional<T>(
  body: Record<string, unknown>,
  name: string,
  isValid: (value: unknown) => value is T,
  expected: string,
): T | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isValid(value)) throw new RequestError(400, `\`${name}\` must be ${expected}.`);
  return value;
}

function jsonObject(search: URLSearchParams, name: string): Record<string, unknown> | undefined {
  const text = oneValue(search, name);
  if (text === undefined || text === '') return undefined;
  return optional({ [name]: parseJson(text, `\`${name}\``) }, name, isRecord, 'an object');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Bytes of an ordinary body: 100 kB for the document, as much for its variables, and the rest for JSON escapes. */
export const BODY_BYTES = 256 * 1024;

/** Bytes of a body with a work-study key: only its applications carry an attachment (at most 4.5 MB in base64). */
export const KEYED_BODY_BYTES = 6 * 1024 * 1024;

/** Bytes of large bodies that may be in memory at once, over all connections. */
const LARGE_BODIES_BYTES = 256 * 1024 * 1024;

/** A higher compression ratio is an attack. JSON with long lists of codes reaches thirty. */
const MAX_EXPANSION = 100;

/** Bytes that any body may decompress to: short ones may be repetitive. */
const MIN_EXPANSION_BYTES = 64 * 1024;

/**
 * Creates a reader of JSON bodies that bounds each in bytes (before and after decompression), values and depth, and the
 * sum of all large bodies in bytes. It returns undefined for an empty body, and rejects with a RequestError.
 */
export function createBodyReader(): (headers: RequestHeaders, payload: Readable) => Promise<unknown> {
  let largeBytes = 0;
  /** A refused body is still read, and discarded, so that the client gets the response. */
  async function receive(headers: RequestHeaders, payload: Readable, maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let [bytes, reserved] = [0, 0];
    try {
      if (Number(oneHeader(headers, 'content-length')) > maxBytes) throw tooLarge(maxBytes);
      for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        if (bytes > BODY_BYTES) {
          if (largeBytes + chunk.length > LARGE_BODIES_BYTES) throw tooManyLarge();
          largeBytes += chunk.length;
          reserved += chunk.length;
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } catch (error) {
      payload.on('error', () => {}).resume();
      throw error instanceof RequestError ? error : incomplete();
    } finally {
      largeBytes -= reserved;
    }
  }
  return async (headers, payload) => {
    const maxBytes = oneHeader(headers, 'x-work-study-key')?.trim() ? KEYED_BODY_BYTES : BODY_BYTES;
    const sent = await receive(headers, payload, maxBytes);
    const encoding = (oneHeader(headers, 'content-encoding') ?? 'identity').trim().toLowerCase();
    return parseJsonBody(headers, encoding === 'identity' ? sent : await decompress(sent, encoding, maxBytes));
  };
}

/** The error for a body that did not arrive completely. */
export function incomplete(): RequestError {
  return new RequestError(400, 'The body is incomplete.');
}

/** For a body that is too large, before or after decompression. */
function tooLarge(maxBytes: number): RequestError {
  const more =
    maxBytes < KEYED_BODY_BYTES
      ? ' Only an application with its attachment, sent with `x-work-study-key`, may be larger.'
      : '';
  return new RequestError(413, `The body is larger than ${inUnits(maxBytes)}.${more}`);
}

function tooManyLarge(): RequestError {
  return new RequestError(503, 'Too many large bodies are arriving at the moment: try again in a few seconds.', {
    code: 'GATEWAY_UNAVAILABLE',
    headers: { 'retry-after': '5' },
  });
}

const decompressors = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
};

/**
 * Decompresses a body by its `content-encoding`. Rejects with a RequestError: 415 for an unknown encoding, 413 as soon
 * as the result exceeds `maxBytes` or the ratio above, 400 if the body is not in that encoding.
 */
async function decompress(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
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
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      throw new RequestError(400, `The body is not encoded with ${encoding}, as its header says.`);
    if (maxOutputLength === maxBytes) throw tooLarge(maxBytes);
    throw new RequestError(413, `The body decompresses to more than ${MAX_EXPANSION} times its size.`);
  }
}
