import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isPromise } from '../../kernel/ready.js';
import { receiveBody } from '../../runtime/http/request-body.js';
import { oneHeader, overlongHeader, requestIdOf } from '../../runtime/http/request-headers.js';
import { SECURITY_HEADERS } from '../../runtime/http/server-options.js';
import { PIECE_BYTES } from '../../runtime/http/unread-responses.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import type { LimitHeaders } from '../callers/rate-limit.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { BODY_BYTES } from '../http/json-body.js';
import { type Encoding, MIN_COMPRESSED_BYTES } from '../http/negotiation.js';
import type { MemoryRequest, MemoryResponse, WhyExecuted } from '../memory/memory.js';
import { type Caller, type Identify, isForEveryone } from './caller.js';
import { handOver, type Tried } from './handover.js';
import { createHeaderChoices, type HeaderChoices } from './header-choices.js';
import { wantsPrice } from './priced.js';
import type { ResponseHeaders } from './response-headers.js';

/** What the fast path needs from the endpoint. */
export interface FastPathOptions {
  /** The request in a body that was answered from memory before; undefined for any other body. */
  find(body: Buffer): MemoryRequest | undefined;
  /** The response, counted and logged; or why it must be executed; null if memory was not tried. */
  answer(id: string, request: MemoryRequest, caller: Caller): MemoryResponse | WhyExecuted | null;
  /** Counts a known request as allowed by the safelist; the router counts all others. */
  countAllowed(): void;
  readonly identify: Identify;
  readonly callerLimits: CallerLimits;
  readonly crossOrigin: CrossOrigin;
  readonly headersOf: ResponseHeaders;
}

/** Sits in front of a server's router. */
export interface FastPath {
  /** Answers what it can and leaves everything else to the router. */
  before(router: RequestListener): RequestListener;
  /** From now on, the router answers everything. */
  close(): void;
}

/** A request whose body has arrived; the body is null if it never will. */
interface PendingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly body: Buffer | null;
}

/** The body to send, and its encoding. */
interface Sent {
  /** Bytes, or a string with one character per byte. */
  readonly body: Buffer | string;
  readonly encoding: Encoding | null;
}

/** The result of trying the fast path. If nothing was sent, the router gets the request along with what was tried. */
type Outcome = { readonly kind: 'sent' } | { readonly kind: 'handover'; readonly tried: Tried | null };

const SENT: Outcome = { kind: 'sent' };
const UNTRIED: Outcome = { kind: 'handover', tried: null };

/**
 * The path of a request that was answered before: headers, body, caller, response from the cache, one write. Anything
 * less simple goes to the router, with what has been read so far, to be read, refused or executed there.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { find, answer, countAllowed, callerLimits, headersOf } = options;
  const choices = createHeaderChoices();
  let isOpen = true;

  function respond({ request, response, id }: PendingRequest, known: MemoryRequest, caller: Caller): Outcome {
    const limits = callerLimits.admitNow(request, caller.credentials);
    if (limits === null) return UNTRIED;
    const found = answer(id, known, caller);
    const { headers } = request;
    if (found === null || typeof found === 'string') return toHandover({ caller, response: found, limits });
    const sent = bodyFor(found, headers, choices);
    if (sent === null) return toHandover({ caller, response: found, limits });
    countAllowed();
    const freshUntilMs = isForEveryone(caller, headers) ? found.freshUntilMs : null;
    const head = headOf(headersOf({ id, headers }, freshUntilMs), limits);
    head.push('content-type', `${choices.type(oneHeader(headers, 'accept'))}; charset=utf-8`);
    if (sent.encoding !== null) head.push('content-encoding', sent.encoding);
    head.push('content-length', String(sent.body.length));
    response.writeHead(200, head);
    send(response, sent.body);
    return SENT;
  }

  /** Whatever fails here fails again behind the router, which reports it. */
  function attempt(pending: PendingRequest, known: MemoryRequest, caller: Caller): Outcome {
    try {
      return respond(pending, known, caller);
    } catch {
      return UNTRIED;
    }
  }

  function tryFastPath(pending: PendingRequest): Outcome | Promise<Outcome> {
    const known = pending.body === null ? undefined : find(pending.body);
    if (known === undefined) return UNTRIED;
    const caller = callerOf(options, pending);
    if (caller === null) return UNTRIED;
    if (!isPromise(caller)) return attempt(pending, known, caller);
    return caller.then(
      (identified) => attempt(pending, known, identified),
      () => UNTRIED,
    );
  }

  return {
    before: (router) => (request, response) => {
      if (!isOpen || !isPlain(request) || choices.type(oneHeader(request.headers, 'accept')) === null) {
        router(request, response);
        return;
      }
      const id = requestIdOf(request.headers);
      receiveBody(request, (body) => {
        const pending = { request, response, id, body };
        const outcome = tryFastPath(pending);
        if (isPromise(outcome)) void outcome.then((settled) => passOn(pending, settled, router));
        else passOn(pending, outcome, router);
      });
    },
    close() {
      isOpen = false;
    },
  };
}

function toHandover(tried: Tried): Outcome {
  return { kind: 'handover', tried };
}

/** Passes the request to the router if nothing was sent. */
function passOn({ request, response, id, body }: PendingRequest, outcome: Outcome, router: RequestListener): void {
  if (outcome.kind === 'sent') return;
  handOver(request, { id, body, tried: outcome.tried });
  router(request, response);
}

/** Null if the router will refuse the request, with its reason. */
function callerOf(
  { crossOrigin, identify }: FastPathOptions,
  { request: { headers }, id }: PendingRequest,
): Caller | Promise<Caller> | null {
  try {
    crossOrigin.refuseBlindRequest(headers);
    return identify(headers, id);
  } catch {
    return null;
  }
}

const SECURITY = Object.entries(SECURITY_HEADERS).flat();

/** Headers in the form that node writes fastest. */
function headOf(headers: Readonly<Record<string, string>>, limits: LimitHeaders): string[] {
  const head = [...SECURITY];
  for (const name in headers) head.push(name, headers[name] ?? '');
  for (const name in limits) head.push(name, limits[name] ?? '');
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

/** The body as the client wants it; null if it has to be written in pieces, or encoded first. */
function bodyFor(response: MemoryResponse, headers: IncomingHttpHeaders, choices: HeaderChoices): Sent | null {
  const { body, encoded } = response;
  if (body.length > PIECE_BYTES) return null;
  const encoding = choices.encoding(oneHeader(headers, 'accept-encoding'), body.length < MIN_COMPRESSED_BYTES);
  if (encoding === null) return { body: body.latin1 ?? body.bytes(), encoding };
  const bytes = encoded.get(encoding);
  return bytes === undefined ? null : { body: bytes, encoding };
}

/** Writes the body after its head and ends the response. */
function send(response: ServerResponse, body: Buffer | string): void {
  const { socket } = response;
  // Only the response whose turn it is has a socket; responses to pipelined requests wait for it.
  if (socket === null || typeof body !== 'string') return void response.end(body, 'latin1');
  // Corked, head and body become one string, which takes a cheaper system call than the vector that `end` would write.
  socket.cork();
  response.write(body, 'latin1');
  socket.uncork();
  response.end();
}
