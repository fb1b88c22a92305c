import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createCache, type WatchCache } from '../../kernel/caches.js';
import {
  chooseEncoding,
  chooseResponseType,
  MIN_COMPRESSED_BYTES,
  type ResponseType,
} from '../../runtime/http/negotiation.js';
import { BODY_BYTES } from '../../runtime/http/parameters.js';
import { receiveBody } from '../../runtime/http/request-body.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { SECURITY_HEADERS, SMALL_BYTES } from '../../runtime/http/server.js';
import { type AdmittedRequest, admittedOf } from '../callers/connection-guard.js';
import { readRowRequest } from '../files/row-request.js';
import type { MemoryRequest } from '../memory/memory.js';
import type { Endpoint } from './endpoint.js';
import { sharedUntil, wantsPrice } from './operation.js';
import { reportFromMemory } from './report.js';
import { factHeaders, responseHeaders } from './send-response.js';

/*
 * The path of a body that was answered from memory before: headers, body, response from memory, one write. Anything less
 * simple goes to the router with the body, to be read, refused or executed there.
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

const receivedBodies = new WeakMap<object, Buffer | null>();

/** The body of a node request; null if it never arrived completely, undefined if the fast path did not take the request. */
export function receivedBody(request: object): Buffer | null | undefined {
  return receivedBodies.get(request);
}

/** Creates the fast path of an endpoint; it knows no body yet. */
export function createFastPath(endpoint: Endpoint, watchCache: WatchCache): FastPath {
  const known = createKnownRequests(watchCache);
  let isOpen = true;
  return {
    before: (router) => (request, response) => {
      const admitted = admittedOf(request);
      if (!isOpen || admitted === undefined || !isPlain(request)) {
        router(request, response);
        return;
      }
      receiveBody(request, (body) => {
        const memoryRequest = body === null ? undefined : known.find(body);
        try {
          if (memoryRequest !== undefined && isWritten(endpoint, response, admitted, memoryRequest)) return;
        } catch {
          // Whatever fails here fails again behind the router, which reports it.
        }
        receivedBodies.set(request, body);
        router(request, response);
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

/**
 * Writes the response from memory; false if there is none, or if it has to be written in pieces or encoded first. Of a
 * JSON body, browsers have asked before they send it for a page of another origin.
 */
function isWritten(
  endpoint: Endpoint,
  response: ServerResponse,
  { id, arrivedMs, caller, limits }: AdmittedRequest,
  memoryRequest: MemoryRequest,
): boolean {
  const { headers } = response.req;
  const type = typeFor(headers);
  if (type === null || caller.traced) return false;
  const answer = endpoint.memory.answer(memoryRequest, caller.credentials);
  if (typeof answer === 'string' || answer.body.length > SMALL_BYTES) return false;
  const isShort = answer.body.length < MIN_COMPRESSED_BYTES;
  const encoding = chooseEncoding(oneHeader(headers, 'accept-encoding'), isShort);
  const body = encoding === null ? answer.body : answer.encoded.get(encoding);
  if (body === undefined) return false;
  const ms = performance.now() - arrivedMs;
  reportFromMemory(endpoint, memoryRequest.parameters, answer, { id, ms, traceparent: caller.traceparent });
  // The router counts all others.
  if (endpoint.safelist !== null) endpoint.metrics?.safelisted('allowed');
  const freshUntilMs = sharedUntil(caller, headers, answer.freshUntilMs);
  const own = responseHeaders(endpoint, { id, headers }, { freshUntilMs, storedMs: answer.storedMs });
  const head = headOf(own, limits, factHeaders(answer.operation));
  head.push('content-type', `${type}; charset=utf-8`);
  if (encoding !== null) head.push('content-encoding', encoding);
  head.push('content-length', String(body.length));
  response.writeHead(200, head);
  if (isShort) sendShort(response, body);
  else response.end(body);
  return true;
}

/** Ends a response with a short body: as text, with a byte in each character, it leaves with its head in one write. */
function sendShort(response: ServerResponse, body: Buffer): void {
  response.socket?.cork();
  response.write(body.toString('latin1'), 'latin1');
  response.socket?.uncork();
  response.end();
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
  if (wantsPrice(headers)) return false;
  const bytes = Number(oneHeader(headers, 'content-length'));
  return bytes > 0 && bytes <= BODY_BYTES && isJson(oneHeader(headers, 'content-type') ?? '');
}

function isJson(type: string): boolean {
  return type === 'application/json' || /^application\/json(; ?charset=utf-8)?$/i.test(type);
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
function typeFor(headers: RequestHeaders): ResponseType | null {
  const accept = oneHeader(headers, 'accept');
  if (accept === undefined || accept === 'application/json') return 'application/json';
  return readRowRequest(accept, NO_PARAMETERS) === null ? chooseResponseType(accept) : null;
}
