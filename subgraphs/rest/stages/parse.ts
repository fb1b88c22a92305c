import type { CodedError } from '../../../kernel/errors.js';
import type { ServiceName } from '../../../kernel/services.js';
import { parseShallowJson } from '../../../kernel/text.js';
import { measureJson, readJson } from '../../../runtime/event-loop/json.js';
import { freshTurn, isTurnSpent, joined, stepsInTurns } from '../../../runtime/event-loop/turns.js';
import { type Call, type CallResponse, DerivedBytes, type Handler, parseResponse } from '../call.js';
import { brokenOff, invalidResponse, readFailure, withoutSecret } from '../failures.js';
import { NO_DIRECTIVES, readCacheControl } from '../ports/response-headers.js';
import type { WireResponse } from '../ports/transport.js';
import type { Origin } from '../shape.js';
import type { FailedResponse } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** Bytes of a failed response that are read. */
const MAX_FAILURE_BYTES = 256 * 1024;

/**
 * Decides whether an attempt succeeded, by its status, then its body, then the client's own check. Throws the
 * CodedError of a failed response.
 */
export function parse(parts: ServiceParts): (send: (call: Call) => Promise<WireResponse>) => Handler {
  const { dialect } = parts;
  return (send) => async (call) => {
    const wire = await send(call);
    if (wire.status >= 200 && wire.status < 300) return readSuccess(wire, call, parts);
    // Only a request that sent a tag can get "not modified".
    if (wire.status === 304 && call.entry?.response.etag != null) return call.entry.response;
    const failure = failedResponse(wire, call);
    call.trail.isAmbiguous = dialect.isAmbiguousRefusal?.(failure) === true;
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

async function readSuccess(wire: WireResponse, call: Call, parts: ServiceParts): Promise<CallResponse> {
  const { origin, dialect } = parts;
  if (wire.isCut === true) return readCut(wire, call, origin);
  const isEmpty = wire.body.length === 0;
  const body = isEmpty ? undefined : await readJson(call.operation.request, await inUtf8(wire, call, origin.service));
  if (!isEmpty && body === undefined) {
    const failure = failedResponse(wire, call);
    if (dialect.readFailure?.(failure, call.request) !== undefined) throw readingOf(failure, call, parts);
    // It may contain a token: other platforms send theirs as a form.
    const excerpt = call.request.confidential === true ? '' : shownOf(wire, call).slice(0, 1000);
    throw invalidResponse(origin.service, 'a body that is not JSON, or nested too deep', { body: excerpt });
  }
  call.trail.readable = body !== undefined;
  // Parsed here so that an undocumented body fails the attempt and is never cached.
  const response = responseOf(wire, await digested(body, wire, call));
  const value = parseResponse(response, call.request, origin);
  return { ...response, unknown: value === null && call.request.unknown === 'null' };
}

/** What is whole of a list that was broken off. A stale entry is better, because it is a whole list. */
async function readCut(wire: WireResponse, call: Call, origin: Origin): Promise<CallResponse> {
  const items = call.entry === null ? wholeItems(await inUtf8(wire, call, origin.service)) : null;
  const json = items === null ? undefined : await readJson(call.operation.request, items);
  if (json === undefined) throw brokenOff(origin.service);
  call.trail.readable = true;
  const response = responseOf(wire, { json, isCut: true, cacheControl: { ...NO_DIRECTIVES, noStore: true } });
  parseResponse(response, call.request, origin);
  return response;
}

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x7b, 0x7d];

/** The list of the whole objects at the start of a list that is cut off; null if none is whole. */
function wholeItems(text: Buffer): Buffer | null {
  let [depth, end, inText] = [0, 0, false];
  for (let at = text.indexOf(OPEN_LIST) + 1; at > 0 && at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) inText = !inText;
    else if (inText && byte === BACKSLASH) at += 1;
    else if (!inText && byte === OPEN_OBJECT) depth += 1;
    else if (!inText && byte === CLOSE_OBJECT) {
      depth -= 1;
      if (depth === 0) end = at + 1;
    }
  }
  return end === 0 ? null : Buffer.concat([text.subarray(0, end), Buffer.from(']')]);
}

/** A charset that is declared and is neither UTF-8 nor a part of it. */
const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!utf-?8\b|(?:us-)?ascii\b)([\w.:-]+)/i;

/** Bytes converted in one go. */
const PIECE_BYTES = 64 * 1024;

/** The body in UTF-8, whatever its service says that it is in. */
async function inUtf8({ headers, body }: WireResponse, { operation }: Call, service: ServiceName): Promise<Buffer> {
  const charset = OTHER_CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset === undefined) return body;
  const pieces: Buffer[] = [];
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    for (let at = 0; at < body.length; at += PIECE_BYTES) {
      if (isTurnSpent()) await freshTurn(operation.request);
      pieces.push(Buffer.from(decoder.decode(body.subarray(at, at + PIECE_BYTES), { stream: true })));
    }
    pieces.push(Buffer.from(decoder.decode()));
  } catch (error) {
    throw invalidResponse(service, 'a body whose characters cannot be read', error);
  }
  return joined(operation.request, pieces);
}

/** The part of the body that is cached, and about its size as text. */
async function digested(
  body: unknown,
  wire: WireResponse,
  { request, operation }: Call,
): Promise<Pick<CallResponse, 'json' | 'bytes'>> {
  if (request.digest === undefined) return { json: body, bytes: wire.body.length };
  const json = await stepsInTurns(operation.request, request.digest.of(body));
  return { json, bytes: await measureJson(operation.request, json, Number.POSITIVE_INFINITY) };
}

function responseOf(wire: WireResponse, parts: Partial<CallResponse>): CallResponse {
  return {
    status: wire.status,
    json: undefined,
    unknown: false,
    etag: wire.headers['etag'] ?? null,
    cacheControl: readCacheControl(wire.headers['cache-control']),
    bytes: wire.body.length,
    account: new DerivedBytes(),
    reading: null,
    ...parts,
  };
}

function failedResponse(wire: WireResponse, call: Call): FailedResponse {
  const text = shownOf(wire, call);
  return { status: wire.status, headers: wire.headers, json: parseShallowJson(text), text };
}

/** Masks the key, so that a service that echoes it does not carry it into a message or the log. */
function shownOf(wire: WireResponse, { credential }: Call): string {
  const text = startOf(wire);
  return credential === null ? text : withoutSecret(text, credential.reveal());
}

/** The text of a body that is not a good response, as far as anybody reads it. */
function startOf({ body }: WireResponse): string {
  const text = body.toString('utf8', 0, MAX_FAILURE_BYTES);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
