import { CodedError } from '../../../kernel/errors.js';
import { type SpanAttributes, traceHeaders } from '../../../kernel/log.js';
import type { ServiceName } from '../../../kernel/services.js';
import { parseShallowJson } from '../../../kernel/text.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import { readJson } from '../../../runtime/event-loop/json.js';
import { stepsInTurns } from '../../../runtime/event-loop/turns.js';
import { type Call, type CallResponse, type Handler, parseResponse, type Stage, unsentRow, weightOf } from '../call.js';
import {
  brokenOff,
  coded,
  invalidResponse,
  mayBeDone,
  readFailure,
  timedOut,
  withoutSecret,
  writeInDoubt,
} from '../failures.js';
import { gatherList, type ListResponse, ListScanner } from '../list-stream.js';
import { type Clock, type Random, sleep } from '../ports/ports.js';
import {
  ACCEPT_ENCODING,
  NO_DIRECTIVES,
  quotaOf,
  readCacheControl,
  readQuota,
  readRetryAfter,
  TransportFailure,
  type WireRequest,
  type WireResponse,
} from '../ports/transport.js';
import type { Reporter } from '../report.js';
import { type Dialect, type FailedResponse, isWrite, queryText } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/*
 * The attempts of one call: how many there are and how long they may take, what is recorded of them, how each is sent,
 * and what its response says.
 */

/** The wait before a second attempt is random, between these two (reliability 2). */
const MIN_WAIT_MS = 100;
const MAX_WAIT_MS = 1000;
const COST = 1;
const COST_AFTER_TIMEOUT = 2;
/** A backend that its service gave up on only after so long hangs: the caller would wait as long again. */
const HANGING_MS = 3000;

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
const TRANSIENT_FAILURES: ReadonlySet<string> = new Set(['refused', 'reset', 'cut']);

/**
 * Retries transient failures once: only reads, and only while the budget allows it. The budget is the whole
 * service's, so that hardly anything is tried twice when everything fails.
 */
export function retry({ clock, random, groups }: ServiceParts): Stage {
  const budget = createRetryBudget(clock);
  return (next) => async (call) => {
    const startMs = clock.monotonicMs() - call.trail.queuedMs;
    try {
      const response = await next(call);
      budget.succeeded();
      return response;
    } catch (failure) {
      // A late attempt has ended the whole call; so has one whose backend was late.
      if (call.signal.aborted) throw failure;
      const attemptMs = clock.monotonicMs() - call.trail.queuedMs - startMs;
      if (call.trail.head?.status === 504 && attemptMs > HANGING_MS) throw failure;
      if (!isTransient(call, failure) || groups.of(call.request).state !== 'closed') throw failure;
      const waitMs = waitOf(call, random);
      if (waitMs >= call.deadline.remainingMs()) throw failure;
      if (!budget.spend(call.trail.head?.status === 504 ? COST_AFTER_TIMEOUT : COST)) throw failure;
      call.trail.failure = failure;
      await sleep(waitMs, clock, call.signal);
      return next(call);
    }
  };
}

function isTransient({ request, operation, trail }: Call, failure: unknown): boolean {
  if (operation.background === true || trail.sent === 0 || isWrite(request)) return false;
  if (trail.head !== null) return failure instanceof CodedError && TRANSIENT_STATUSES.has(trail.head.status);
  return failure instanceof TransportFailure && TRANSIENT_FAILURES.has(failure.kind);
}

/** A random wait in milliseconds between the shortest and the longest, added to any time that the service names. */
function waitOf({ trail }: Call, random: Random): number {
  const jitterMs = MIN_WAIT_MS + random() * (MAX_WAIT_MS - MIN_WAIT_MS);
  const namedMs = trail.head === null ? null : readRetryAfter(trail.head.headers);
  return jitterMs + (namedMs ?? 0) * 1000;
}

/**
 * Sized for tens of calls a minute; libraries' budgets, for thousands a second, exceed the whole quota (reliability 2).
 */
const RESERVE = 3;
const PER_SUCCESS = 0.1;
const PER_MS = 1 / 10_000;

/** How many retries a service may still get, three at first: filled by successes and by time, emptied by retries. */
function createRetryBudget(clock: Clock) {
  let tokens = RESERVE;
  let atMs = clock.monotonicMs();
  const add = (more: number) => {
    tokens = Math.min(RESERVE, tokens + more);
  };
  return {
    succeeded: () => add(PER_SUCCESS),
    /** Takes the cost of one retry; false if it cannot be afforded. */
    spend(cost: number): boolean {
      const nowMs = clock.monotonicMs();
      add((nowMs - atMs) * PER_MS);
      atMs = nowMs;
      if (tokens < cost) return false;
      tokens -= cost;
      return true;
    },
  };
}

/** Milliseconds for one attempt, unless the request says otherwise (reliability 4). */
const ATTEMPT_MS = 10_000;

/**
 * Ends an attempt that takes too long by closing its socket. That ends the whole call, because a late attempt is never
 * retried. The request's own deadline is watched where callers wait.
 */
export function attemptDeadline({ service, clock }: ServiceParts): Stage {
  return (next) => async (call) => {
    let late = false;
    const cancel = clock.after(call.request.attemptMs ?? ATTEMPT_MS, () => {
      late = true;
      call.stop();
    });
    try {
      return await next(call);
    } catch (error) {
      throw late ? timedOut(service) : error;
    } finally {
      cancel();
    }
  };
}

/**
 * Runs a call and records how it went: with the recorder of its operation, for metrics and log and, unless `reporter` is
 * null, among the responses that callers got.
 */
export function recordCall({
  service,
  onCall,
  clock,
  reporter,
}: Pick<ServiceParts, 'service' | 'onCall' | 'clock'> & { readonly reporter: Reporter | null }): <T>(
  call: Call,
  run: () => Promise<T>,
) => Promise<T> {
  return async (call, run) => {
    const { request, operation, trail } = call;
    const startMs = operation.recorder.elapsedMs();
    const record = (error: CodedError | null, isReference: boolean) => {
      const row = rowOf(service, call, { startMs, error });
      operation.recorder.record(row);
      call.span?.end(attributesOf(row), row.error);
      onCall(row, error, operation, call.trial);
      // A call refused before it was sent is no request to the service.
      if (request.cache === 'never' || (error !== null && trail.sent === 0)) return;
      const isHit = trail.cache === 'HIT' || trail.cache === 'STALE';
      reporter?.countResponse({ isHit, referenceMs: isReference ? (trail.storedAtMs ?? clock.wallMs()) : null });
    };
    try {
      const value = await run();
      record(null, request.cache === 'reference' && value !== null);
      return value;
    } catch (reason) {
      // Keys are checked before anything is done.
      const isRefused = trail.head?.status === 401;
      const isInDoubt = isWrite(request) && trail.sent > 0 && !isRefused && mayBeDone(reason);
      const error = isInDoubt ? writeInDoubt(service, coded(service, reason)) : coded(service, reason);
      record(error, false);
      throw error;
    }
  };
}

function rowOf(service: ServiceName, call: Call, run: { startMs: number; error: CodedError | null }): UpstreamCall {
  const { request, operation, trail } = call;
  return {
    ...unsentRow(service, request),
    status: trail.head?.status ?? null,
    startMs: run.startMs,
    ms: operation.recorder.elapsedMs() - run.startMs,
    bytes: trail.bytes,
    cache: trail.cache,
    retries: Math.max(0, trail.sent - 1),
    sent: trail.sent,
    ...(trail.sent > 0 && weightOf(call) > 1 && { weight: weightOf(call) }),
    ...(trail.queuedMs >= 1 && { queuedMs: Math.round(trail.queuedMs) }),
    ...(trail.stale !== null && { stale: trail.stale }),
    ...(trail.freshMs !== null && { freshMs: Math.floor(trail.freshMs) }),
    ...(run.error !== null && { error: run.error.code }),
    ...(trail.quota !== null && { quota: trail.quota }),
    ...(trail.tookOwnKey && { tookOwnKey: true }),
    planNode: operation.planNode,
  };
}

/** A call's span attributes: templates and figures, never an address or a caller's value. */
function attributesOf(row: UpstreamCall): SpanAttributes {
  return {
    'server.address': row.service,
    'http.request.method': row.method,
    'url.template': row.path,
    ...(row.status !== null && { 'http.response.status_code': row.status }),
    'passerelle.cache': row.cache,
    'passerelle.queued_ms': row.queuedMs ?? 0,
    'passerelle.entities': row.entities,
    'passerelle.sent': row.sent ?? 0,
  };
}

/** The largest body that is read into memory; the export, which is larger, is streamed to disk. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** The largest list that is read item by item. */
const MAX_LIST_BYTES = 1024 * 1024 * 1024;

/** A response, or what is left of it once its list has been gathered. */
type SentResponse = WireResponse & Partial<ListResponse>;

/** Sends a call and reads its whole response. The only place where a secret becomes a header. */
export function send({ transport, dialect, baseUrl, sender }: ServiceParts): (call: Call) => Promise<SentResponse> {
  return async (call) => {
    const { request, trail } = call;
    const wire: WireRequest = {
      method: request.method,
      url: new URL(baseUrl + request.path + queryText(request.query)),
      headers: headersOf(call, dialect),
      maxBytes: request.gather === undefined ? MAX_BODY_BYTES : MAX_LIST_BYTES,
      takesCut: request.streamed === true,
      ...bodyOf(call),
    };
    trail.sent += 1;
    trail.head = null;
    trail.readable = false;
    trail.isAmbiguous = false;
    trail.mayBeOfRecord = false;
    const { gather } = request;
    const response: SentResponse =
      gather === undefined
        ? await transport.send(wire, call.signal)
        : await gatherList(await transport.open(wire, call.signal), gather, { signal: call.signal, sender });
    trail.head = { status: response.status, headers: response.headers };
    trail.bytes = response.received ?? response.body.length;
    trail.quota = quotaOf(response);
    if (trail.quota === null && readQuota(response.headers) !== null) sender.drift('x-ratelimit-limit', 'form');
    return response;
  };
}

function headersOf({ request, credential, entry, span }: Call, dialect: Dialect): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-encoding': request.small === true ? 'identity' : ACCEPT_ENCODING,
    'user-agent': 'passerelle',
  };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (request.form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
  if (entry?.response.etag != null) headers['if-none-match'] = entry.response.etag;
  if (span !== undefined) Object.assign(headers, traceHeaders(span));
  return credential === null ? headers : Object.assign(headers, dialect.headers(credential.reveal(), request));
}

function bodyOf({ request }: Call): { body?: string } {
  if (request.form !== undefined)
    return { body: new URLSearchParams(request.form.map(([...pair]) => pair)).toString() };
  return request.body === undefined ? {} : { body: JSON.stringify(request.body) };
}

/** Bytes of a failed response that are read. */
const MAX_FAILURE_BYTES = 64 * 1024;

/**
 * Decides whether an attempt succeeded, by its status, then its body, then the client's own check. Throws the
 * CodedError of a failed response.
 */
export function parse(parts: ServiceParts): (send: (call: Call) => Promise<SentResponse>) => Handler {
  const { dialect } = parts;
  return (send) => async (call) => {
    const wire = await send(call);
    if (wire.status >= 200 && wire.status < 300) return readSuccess(wire, call, parts);
    // Only a request that sent a tag can get "not modified".
    if (wire.status === 304 && call.entry?.response.etag != null) return call.entry.response;
    const failure = failedResponse(wire, call);
    call.trail.isAmbiguous = dialect.isAmbiguousRefusal?.(failure, call.request) === true;
    call.trail.mayBeOfRecord = dialect.mayBeOfRecord?.(failure, call.request) === true;
    const reading = readingOf(failure, call, parts);
    if (reading !== 'unknown') throw reading;
    return responseOf(wire, { unknown: true });
  };
}

function readingOf(
  failure: FailedResponse,
  { request, credential, operation }: Call,
  { service, dialect }: ServiceParts,
): 'unknown' | CodedError {
  const ownKey = credential !== null && credential === operation.credential;
  return readFailure(failure, { service, dialect, request, ownKey });
}

async function readSuccess(wire: SentResponse, call: Call, parts: ServiceParts): Promise<CallResponse> {
  const { sender, dialect, health, operatorKey } = parts;
  const { request, entry } = call;
  const isCut = wire.isCut === true;
  // A list that was broken off is no better than a whole one that is stale.
  if (isCut && entry !== null && entry.response.isCut !== true) throw brokenOff(sender.service);
  const body = wire.gathered ?? (isCut ? await beginningIn(wire) : await bodyIn(wire, call, parts));
  if (isCut && body.json === undefined) throw brokenOff(sender.service);
  call.trail.readable = body.json !== undefined;
  const json = request.digest === undefined ? body.json : await stepsInTurns(request.digest.of(body.json, sender));
  const bytes = request.digest === undefined ? wire.body.length : JSON.stringify(json).length;
  // Parsed here so that an undocumented body fails the attempt and is never cached.
  const response = responseOf(wire, { bytes, ...body, json, ...(isCut && { isCut }) });
  const value = parseResponse(response, request, sender);
  const blindness = call.credential === operatorKey ? dialect.blindness?.(body.json, request) : undefined;
  if (blindness !== undefined) health.recordBlindness(blindness);
  return { ...response, unknown: value === null && request.unknown === 'null' };
}

/** The JSON of a body; undefined for an empty one. */
async function bodyIn(wire: WireResponse, call: Call, parts: ServiceParts): Promise<Pick<CallResponse, 'json'>> {
  if (wire.body.length === 0) return { json: undefined };
  const json = await readJson(wire.body, charsetOf(wire));
  if (json !== undefined) return { json };
  const failure = failedResponse(wire, call);
  if (parts.dialect.readFailure?.(failure, call.request) !== undefined) throw readingOf(failure, call, parts);
  // It may contain a token: other platforms send theirs as a form.
  const body = call.request.confidential === true ? '' : failure.text.slice(0, 1000);
  const what = 'a body that is not JSON, of unknown characters, nested too deep, or of too many values';
  throw invalidResponse(parts.service, what, { body });
}

/** The whole items at the start of a list that is cut off; undefined if none is whole. */
async function beginningIn(wire: WireResponse): Promise<Pick<CallResponse, 'json' | 'cacheControl'>> {
  const items = charsetOf(wire) === undefined ? [...new ListScanner().push(wire.body)] : [];
  const separated = items.flatMap((item, index) => [Buffer.from(index === 0 ? '[' : ','), item]);
  const json = items.length === 0 ? undefined : await readJson(Buffer.concat([...separated, Buffer.from(']')]));
  return { json, cacheControl: { ...NO_DIRECTIVES, noStore: true } };
}

/** A charset that is declared and is neither UTF-8 nor a part of it. */
const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!utf-?8\b|(?:us-)?ascii\b)([\w.:-]+)/i;

/** What a service says that its body is written in. */
function charsetOf({ headers }: WireResponse): string | undefined {
  return OTHER_CHARSET.exec(headers['content-type'] ?? '')?.[1];
}

function responseOf(wire: WireResponse, parts: Partial<CallResponse>): CallResponse {
  return {
    status: wire.status,
    json: undefined,
    unknown: false,
    etag: wire.headers['etag'] ?? null,
    cacheControl: readCacheControl(wire.headers['cache-control']),
    bytes: wire.body.length,
    reading: null,
    ...parts,
  };
}

function failedResponse({ status, headers, body }: WireResponse, { credential }: Call): FailedResponse {
  const start = body.toString('utf8', 0, MAX_FAILURE_BYTES).replace(/^\uFEFF/, '');
  // A service that echoes the key does not carry it into a message or the log.
  const text = credential === null ? start : withoutSecret(start, credential.reveal());
  return { status, headers, json: parseShallowJson(text), text };
}
