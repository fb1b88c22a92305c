import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { PIECE_BYTES } from '../../runtime/http/bound-responses.js';
import { receiveBody } from '../../runtime/http/receive-body.js';
import { oneHeader, readRequestId } from '../../runtime/http/request-headers.js';
import { SECURITY_HEADERS } from '../../runtime/http/security-headers.js';
import { isPromise } from '../../schema/is-promise.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import type { LimitHeaders } from '../callers/limit-headers.js';
import type { DirectRequest, DirectResponse, WhyGeneral } from '../execution/direct/direct-executor.js';
import { BODY_BYTES } from '../http/body-size.js';
import { MIN_COMPRESSED_BYTES } from '../http/compression.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import type { Encoding } from '../http/negotiation.js';
import { type Caller, type Identify, isForEveryone } from './caller.js';
import { handOver, type Tried } from './handover.js';
import { createHeaderChoices, type HeaderChoices } from './header-choices.js';
import { wantsPrice } from './priced.js';
import type { ResponseHeaders } from './response-headers.js';

/** What the door needs of the endpoint. */
export interface DoorOptions {
  /** What a body says that was executed before; undefined for any other. */
  find(body: Buffer): DirectRequest | undefined;
  /** The response, counted and logged; why it has to be executed; null for one that is not answered so anyway. */
  execute(id: string, request: DirectRequest, caller: Caller): DirectResponse | WhyGeneral | null;
  /** A known request was answered before the router, which counts all others. */
  counted(): void;
  readonly identify: Identify;
  readonly callerLimits: CallerLimits;
  readonly crossOrigin: CrossOrigin;
  readonly headersOf: ResponseHeaders;
}

/** Stands before the router of a server. */
export interface Door {
  /** Answers what it can, and leaves all else to the router. */
  before(router: RequestListener): RequestListener;
  /** From now on the router answers everything. */
  close(): void;
}

/** A request whose body has arrived, or will not: then it is null. */
interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly body: Buffer | null;
}

/** What is written of a response. */
interface Sent {
  /** Bytes, or a text with one character for each of them. */
  readonly body: Buffer | string;
  readonly encoding: Encoding | null;
}

/**
 * The way of a request that was answered before: headers, body, caller, answer from the cache, one write. Whatever
 * is not as simple goes to the router, with what was read of it: there it is read, refused or executed.
 */
export function createDoor(options: DoorOptions): Door {
  const { find, execute, counted, callerLimits, headersOf } = options;
  const choices = createHeaderChoices();
  let isOpen = true;

  /** Null once the response is written, and undefined for a caller whom the router has to look at. */
  function meet({ request, response, id }: Visit, known: DirectRequest, caller: Caller): Tried | null | undefined {
    const limits = callerLimits.admitNow(request, caller.credentials);
    if (limits === null) return undefined;
    const found = execute(id, known, caller);
    const { headers } = request;
    if (found === null || typeof found === 'string') return { caller, response: found, limits };
    const sent = bodyFor(found, headers, choices);
    if (sent === null) return { caller, response: found, limits };
    counted();
    const freshUntilMs = isForEveryone(caller, headers) ? found.freshUntilMs : null;
    const head = headOf(headersOf({ id, headers }, freshUntilMs), limits);
    head.push('content-type', `${choices.type(headers.accept)}; charset=utf-8`);
    if (sent.encoding !== null) head.push('content-encoding', sent.encoding);
    head.push('content-length', String(sent.body.length));
    response.writeHead(200, head);
    send(response, sent.body);
    return null;
  }

  function welcome(visit: Visit, pass: (tried: Tried | null) => void): void {
    const known = visit.body === null ? undefined : find(visit.body);
    const caller = known === undefined ? null : callerOf(options, visit.request.headers);
    if (known === undefined || caller === null) {
      pass(null);
      return;
    }
    const go = (identified: Caller) => {
      const tried = attempt(visit, known, identified);
      if (tried !== null) pass(tried ?? null);
    };
    if (isPromise(caller)) void caller.then(go, () => pass(null));
    else go(caller);
  }

  /** Whatever fails here fails again behind the router, which says so. */
  function attempt(visit: Visit, known: DirectRequest, caller: Caller): ReturnType<typeof meet> {
    try {
      return meet(visit, known, caller);
    } catch {
      return undefined;
    }
  }

  return {
    before: (router) => (request, response) => {
      if (!isOpen || !isPlain(request) || choices.type(request.headers.accept) === null) {
        router(request, response);
        return;
      }
      const id = readRequestId(request.headers) ?? randomUUID();
      receiveBody(request, (body) =>
        welcome({ request, response, id, body }, (tried) => {
          handOver(request, { id, body, tried });
          router(request, response);
        }),
      );
    },
    close() {
      isOpen = false;
    },
  };
}

/** Null for one that the router refuses, with its reason. */
function callerOf(
  { crossOrigin, identify }: DoorOptions,
  headers: IncomingHttpHeaders,
): Caller | Promise<Caller> | null {
  try {
    crossOrigin.refuseBlindRequest(headers);
    return identify(headers);
  } catch {
    return null;
  }
}

const SECURITY = Object.entries(SECURITY_HEADERS).flat();

/** Headers as node writes them fastest. */
function headOf(headers: Readonly<Record<string, string>>, limits: LimitHeaders): string[] {
  const head = [...SECURITY];
  for (const name in headers) head.push(name, headers[name] ?? '');
  for (const name in limits) head.push(name, limits[name] ?? '');
  return head;
}

/** A JSON body of a usual size, as clients of GraphQL send it. */
function isPlain({ method, url, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || url !== '/graphql' || headers['content-encoding'] !== undefined) return false;
  if (wantsPrice(headers)) return false;
  const bytes = Number(headers['content-length']);
  return bytes > 0 && bytes <= BODY_BYTES && isJson(headers['content-type'] ?? '');
}

function isJson(type: string): boolean {
  return type === 'application/json' || /^application\/json(; ?charset=utf-8)?$/i.test(type);
}

/** The body as the client wants it; null for one that is written in pieces, or has to be encoded first. */
function bodyFor(response: DirectResponse, headers: IncomingHttpHeaders, choices: HeaderChoices): Sent | null {
  const { body, encoded } = response;
  if (body.length > PIECE_BYTES) return null;
  const encoding = choices.encoding(oneHeader(headers, 'accept-encoding'), body.length < MIN_COMPRESSED_BYTES);
  if (encoding === null) return { body: body.latin1 ?? body.bytes(), encoding };
  const bytes = encoded.get(encoding);
  return bytes === undefined ? null : { body: bytes, encoding };
}

/** Writes the body behind its head, and ends the response. */
function send(response: ServerResponse, body: Buffer | string): void {
  const { socket } = response;
  // The one with a socket is being read by its client; the responses to requests that were sent ahead wait for it.
  if (socket === null || typeof body !== 'string') return void response.end(body, 'latin1');
  // Head and text become one text, for which the system has a cheaper call than for a vector; `end` would make one.
  socket.cork();
  response.write(body, 'latin1');
  socket.uncork();
  response.end();
}
