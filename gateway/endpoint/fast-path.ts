import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createCache, type WatchCache } from '../../kernel/caches.js';
import {
  chooseEncoding,
  chooseResponseType,
  type Encoding,
  MIN_COMPRESSED_BYTES,
  type ResponseType,
} from '../../runtime/http/negotiation.js';
import { BODY_BYTES } from '../../runtime/http/parameters.js';
import { receiveBody } from '../../runtime/http/request-body.js';
import { oneHeader, overlongHeader, requestIdOf } from '../../runtime/http/request-headers.js';
import { SECURITY_HEADERS, SMALL_BYTES } from '../../runtime/http/server.js';
import type { LimitHeaders } from '../callers/caller-limits.js';
import { readRowRequest } from '../files/row-request.js';
import type { MemoryRequest, MemoryResponse, WhyExecuted } from '../memory/memory.js';
import type { Endpoint } from './endpoint.js';
import { type Caller, identify, sharedUntil, wantsPrice } from './operation.js';
import { reportFromMemory } from './report.js';
import { factHeaders, responseHeaders } from './send-response.js';

/*
 * The path of a body that was answered from memory before: headers, body, caller, response from memory, one write.
 * Anything less simple goes to the router, with what has been read so far, to be read, refused or executed there.
 */

/** Sits in front of a server's router. */
export interface FastPath {
  /** Answers what it can and leaves everything else to the router. */
  before(router: RequestListener): RequestListener;
  /** Call it when a body was answered from memory: its request was parsed, checked and allowed. */
  remember(body: Buffer, request: MemoryRequest): void;
  /** From now on, the router answers everything. */
  close(): void;
}

/** A request whose caller is identified and counted, and how memory answers it. */
export interface AdmittedRequest {
  readonly caller: Caller;
  /** Headers that report what the caller has left. */
  readonly limits: LimitHeaders;
  readonly repeated: MemoryRequest;
  /** The response; or why the operation has to be executed. */
  readonly answer: MemoryResponse | WhyExecuted;
}

/** What the fast path has read of a request that it leaves to the router. */
interface ReceivedRequest {
  readonly id: string;
  /** Null if the body never arrived completely. */
  readonly body: Buffer | null;
  /** Null if the router has to admit it, as with a body that is not known. */
  readonly admitted: AdmittedRequest | null;
}

const receivedRequests = new WeakMap<object, ReceivedRequest>();

/** What the fast path has read of a node request; undefined if it did not take the request. */
export function receivedOf(request: object): ReceivedRequest | undefined {
  return receivedRequests.get(request);
}

/** A node request and its response. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
}

/** Creates the fast path of an endpoint; it knows no body yet. */
export function createFastPath(endpoint: Endpoint, watchCache: WatchCache): FastPath {
  const known = createKnownRequests(watchCache);
  let isOpen = true;
  return {
    before: (router) => (request, response) => {
      if (!isOpen || !isPlain(request) || typeFor(request.headers) === null) {
        router(request, response);
        return;
      }
      const id = requestIdOf(request.headers);
      const exchange = { request, response, id };
      receiveBody(request, (body) => {
        const proceed = (admitted: AdmittedRequest | null) => {
          try {
            if (admitted !== null && isWritten(endpoint, exchange, admitted)) return;
          } catch {
            // Whatever fails here fails again behind the router, which reports it.
          }
          receivedRequests.set(request, { id, body, admitted });
          router(request, response);
        };
        const repeated = body === null ? undefined : known.find(body);
        if (repeated === undefined) proceed(null);
        else void admit(endpoint, exchange, repeated).then(proceed);
      });
    },
    remember(body, request) {
      // In this mode, every use of an operation that is not on the list has to be logged.
      if (endpoint.safelist?.mode !== 'log') known.remember(body, request);
    },
    close() {
      isOpen = false;
    },
  };
}

/** Null for a request that the router has to admit, which reports what fails here. */
async function admit(
  endpoint: Endpoint,
  { request, id }: Exchange,
  repeated: MemoryRequest,
): Promise<AdmittedRequest | null> {
  try {
    endpoint.crossOrigin.refuseBlindRequest(request.headers);
    const caller = await identify(endpoint, request.headers, id);
    const limits = await endpoint.callerLimits.admit(request, caller);
    return { caller, limits, repeated, answer: answerFromMemory(endpoint, repeated, { id, caller }) };
  } catch {
    return null;
  }
}

/** The response, counted and logged, if all of its data is in memory and fresh; or why it has to be executed. */
export function answerFromMemory(
  endpoint: Endpoint,
  request: MemoryRequest,
  { id, caller }: { readonly id: string; readonly caller: Caller },
): MemoryResponse | WhyExecuted {
  // A trace has to show how the operation was executed.
  if (caller.traced) return 'report';
  const { credentials, traceparent } = caller;
  const startedMs = performance.now();
  const answer = endpoint.memory.answer(request, credentials);
  const ms = performance.now() - startedMs;
  if (typeof answer !== 'string') reportFromMemory(endpoint, request.parameters, answer, { id, traceparent, ms });
  return answer;
}

/** Writes the response; false if there is none, or one that has to be written in pieces or encoded first. */
function isWritten(
  endpoint: Endpoint,
  { request: { headers }, response, id }: Exchange,
  { caller, limits, answer }: AdmittedRequest,
): boolean {
  if (typeof answer === 'string') return false;
  const sent = bodyFor(answer, headers);
  if (sent === null) return false;
  // The router counts all others.
  if (endpoint.safelist !== null) endpoint.metrics?.safelisted('allowed');
  const freshUntilMs = sharedUntil(caller, headers, answer.freshUntilMs);
  const { storedMs, operation } = answer;
  const own = responseHeaders(endpoint, { id, headers }, { freshUntilMs, storedMs });
  const head = headOf(own, limits, factHeaders(operation));
  head.push('content-type', `${typeFor(headers)}; charset=utf-8`);
  if (sent.encoding !== null) head.push('content-encoding', sent.encoding);
  head.push('content-length', String(sent.body.length));
  response.writeHead(200, head);
  response.end(sent.body);
  return true;
}

const SECURITY = Object.entries(SECURITY_HEADERS).flat();

/** Headers in the form that node writes fastest. */
function headOf(...parts: readonly Readonly<Record<string, string>>[]): string[] {
  const head = [...SECURITY];
  for (const headers of parts) for (const name in headers) head.push(name, headers[name] ?? '');
  return head;
}

/** Whether this is a POST with a JSON body of ordinary size, as GraphQL clients send it. */
function isPlain({ method, url, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || url !== '/graphql' || oneHeader(headers, 'content-encoding') !== undefined) return false;
  // The router says which header is too long.
  if (wantsPrice(headers) || overlongHeader(headers) !== null) return false;
  const bytes = Number(oneHeader(headers, 'content-length'));
  return bytes > 0 && bytes <= BODY_BYTES && isJson(oneHeader(headers, 'content-type') ?? '');
}

function isJson(type: string): boolean {
  return type === 'application/json' || /^application\/json(; ?charset=utf-8)?$/i.test(type);
}

/** A body in the encoding that the client wants. */
interface EncodedBody {
  readonly body: Buffer;
  readonly encoding: Encoding | null;
}

/** Null if the body is to be counted while it is unread, or encoded first. */
function bodyFor({ body, encoded }: MemoryResponse, headers: IncomingHttpHeaders): EncodedBody | null {
  if (body.length > SMALL_BYTES) return null;
  const accepted = oneHeader(headers, 'accept-encoding');
  const encoding = accepted === undefined ? null : chooseEncoding(accepted, body.length < MIN_COMPRESSED_BYTES);
  if (encoding === null) return { body, encoding };
  const bytes = encoded.get(encoding);
  return bytes === undefined ? null : { body: bytes, encoding };
}

/** Bytes of heap that one entry may take. */
const MAX_ENTRY_BYTES = 512 * 1024;
/** Bytes of heap per byte of body: the body itself, and what was read from it. */
const HEAP_PER_BYTE = 24;
const REQUEST_BYTES = 500;

/** Creates the memory of bodies that were answered without an error, each byte for byte with its request. */
export function createKnownRequests(watchCache: WatchCache) {
  const known = createCache<MemoryRequest>('direct-requests', watchCache, { maxEntrySize: MAX_ENTRY_BYTES });
  // One character per byte, so that equal strings mean equal bytes.
  const textOf = (body: Buffer) => body.toString('latin1');
  return {
    find: (body: Buffer) => known.get(textOf(body)),
    remember: (body: Buffer, request: MemoryRequest) =>
      void known.set(textOf(body), request, { size: REQUEST_BYTES + HEAP_PER_BYTE * body.length }),
  };
}

const NO_PARAMETERS = new URLSearchParams();

/** The JSON media type that a client prefers; null if it prefers rows, or nothing that is offered. */
function typeFor({ accept }: IncomingHttpHeaders): ResponseType | null {
  if (accept === undefined || accept === 'application/json') return 'application/json';
  return readRowRequest(accept, NO_PARAMETERS) === null ? chooseResponseType(accept) : null;
}
