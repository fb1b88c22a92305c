import { CodedError, type ErrorCode, OUTAGES } from '../../kernel/errors.js';
import type { ServiceName } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';
import { KEY_TRIAL_MS } from './circuit-breaker.js';
import { readReset, readRetryAfter, TransportFailure } from './ports/transport.js';
import type { Dialect, FailedResponse, FailureReading, UpstreamRequest } from './upstream.js';

/** The errors that the toolkit itself raises, with the messages that callers see. */

/** The caller's own time is up, or they have left; the call may still succeed for others who wait for it. */
export function deadlineExceeded(service: ServiceName, cause?: unknown): CodedError {
  return new CodedError('DEADLINE_EXCEEDED', `The time allowed for this request was over before ${service} answered.`, {
    service,
    cause,
  });
}

/** One attempt took longer than its limit, or a file paused for 30 s. */
export function timedOut(service: ServiceName): CodedError {
  return new CodedError('UPSTREAM_TIMEOUT', `${service} took too long to answer.`, { service });
}

/** The operator has not configured the service, or not the key that it needs. */
export function sourceOff(service: ServiceName): CodedError {
  return new CodedError('SOURCE_OFF', `${service} is not configured here.`, { service });
}

/** The operator's key has ended: to send it would be refused. */
export function keyExpired(service: ServiceName): CodedError {
  return new CodedError('SOURCE_OFF', `${service} is switched off here: the operator's key has expired.`, { service });
}

/** An id that would turn the address into that of another route. */
export function otherRoute(): CodedError {
  return new CodedError('BAD_USER_INPUT', 'An id cannot be made of dots alone.');
}

/** Arguments that cannot form an address: they are too many, or contain text that cannot be part of one. */
export function noAddress(problem: string): CodedError {
  return new CodedError('BAD_USER_INPUT', `The arguments ${problem}.`);
}

/** The call needs a key of the caller's own, and none came with the request. */
export function credentialsRequired(service: ServiceName): CodedError {
  return new CodedError('CREDENTIALS_REQUIRED', `This needs a key or a login of your own for ${service}.`, { service });
}

/** The service is known to be down, and will be tried again in `retryInMs`. */
export function unavailable(service: ServiceName, retryInMs: number): CodedError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryInMs / 1000));
  return new CodedError('UPSTREAM_UNAVAILABLE', `${service} is not available.`, { service, retryAfterSeconds });
}

/** The service refuses a key that it accepted lately, in words that its own outage has too. */
export function doubtfulKey(service: ServiceName, cause?: unknown): CodedError {
  const message = `${service} refuses a key that it accepted a short while ago: perhaps an outage. It did nothing.`;
  return new CodedError('UPSTREAM_UNAVAILABLE', message, { service, retryAfterSeconds: KEY_TRIAL_MS / 1000, cause });
}

/** The service fails at this record, and answers for others. */
export function brokenRecord(service: ServiceName, cause: unknown): CodedError {
  const message = `This record cannot be read at its source: ${service} fails at it again and again, and answers for others.`;
  return new CodedError('UPSTREAM_INVALID_RESPONSE', message, { service, cause });
}

/** The cause of the error of a list that was broken off: not the service is down, but a record is unreadable. */
export const BROKEN_OFF = 'broken off at a record';

/** The service broke off a list that it sends while it reads it. */
export function brokenOff(service: ServiceName): CodedError {
  const message = `${service} broke off its list in the middle, as it does at a record that it cannot read.`;
  return new CodedError('UPSTREAM_UNAVAILABLE', message, { service, cause: BROKEN_OFF });
}

/** What a failure below HTTP means to a caller. */
function unreachable(service: ServiceName, failure: TransportFailure): CodedError {
  if (failure.kind === 'too-large') return invalidResponse(service, 'a response that is too large', failure);
  if (failure.kind === 'unreadable') return invalidResponse(service, 'a response that cannot be read', failure);
  return new CodedError('UPSTREAM_UNAVAILABLE', `${service} cannot be reached.`, { service, cause: failure });
}

/** A write was sent and no response confirms it: it may have been done all the same. */
export function writeInDoubt(service: ServiceName, { code, message, cause }: CodedError): CodedError {
  const warning = `${service} did not confirm this write, which may have been done: check before you repeat it.`;
  return new CodedError(code, warning, { service, cause: cause ?? message });
}

/** The service answered, but not as it documents. `what` completes the message “<service> sent …”. */
export function invalidResponse(service: ServiceName, what: string, cause?: unknown): CodedError {
  return new CodedError('UPSTREAM_INVALID_RESPONSE', `${service} sent ${what}.`, { service, cause });
}

/** The error as a CodedError, which every rejection of the toolkit is; anything unexpected becomes `INTERNAL`. */
export function coded(service: ServiceName, error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  if (error instanceof TransportFailure) return unreachable(service, error);
  return new CodedError('INTERNAL', 'Internal error.', { service, cause: error });
}

/** Whether a call failed because of the service: down, too slow or unreadable. A caller who leaves is no outage. */
export function isOutage(error: unknown): boolean {
  if (error instanceof TransportFailure) return error.kind !== 'aborted';
  return error instanceof CodedError && OUTAGES.has(error.code);
}

/** Whether a call that failed after it was sent may have been executed: nothing that came back says otherwise. */
export function mayBeDone(error: unknown): boolean {
  if (error instanceof TransportFailure) return error.kind !== 'refused';
  return isOutage(error) || (error instanceof CodedError && error.code === 'DEADLINE_EXCEEDED');
}

/** A bare 429 is a proxy's pace limit, which refills within a second (work-study 4.2). */
const BARE_LIMIT_SECONDS = 1;
/** Most characters of a service's message that are passed on. */
const MAX_MESSAGE_LENGTH = 200;
/** Not every dotted name is a host: callers need to see messages such as `querystring.latitude: …`. */
const NAMES_A_HOST =
  /:\/\/|\bwww\.|\blocalhost\b|(\d{1,3}\.){3}\d|\.(fr|com|org|net|io|eu|local|internal|cloud|app|dev)\b/i;

interface FailureContext {
  readonly service: ServiceName;
  readonly dialect: Dialect;
  readonly request: UpstreamRequest<unknown>;
  /** Whether the key on the call was the caller's own. */
  readonly ownKey: boolean;
}

/**
 * What an unsuccessful response means: `unknown`, or the error to throw. The service's dialect decides first,
 * then the common rules of HTTP decide by status, then by body.
 */
export function readFailure(failure: FailedResponse, context: FailureContext): 'unknown' | CodedError {
  const { service, dialect, request } = context;
  const reading = dialect.readFailure?.(failure, request) ?? commonReading(failure, context);
  const shown = request.confidential === true ? { ...failure, json: undefined, text: '' } : failure;
  const cause = { status: shown.status, body: shown.text.slice(0, 1000) };
  if (reading === 'unknown' && request.unknown === 'null') return 'unknown';
  const {
    code,
    message = messageOf(code, shown, service),
    retryAfterSeconds = code === 'RATE_LIMITED' ? waitSeconds(failure) : undefined,
  }: Exclude<FailureReading, string> = reading === 'unknown' ? { code: 'UPSTREAM_REFUSED_INPUT' } : reading;
  return new CodedError(code, message, { service, retryAfterSeconds, cause });
}

/** Whether the body is an HTML page: that comes from a proxy, as no service refuses a key in HTML. */
export function isPage({ text }: FailedResponse): boolean {
  return text.trimStart().startsWith('<');
}

function commonReading(failure: FailedResponse, { ownKey }: FailureContext): FailureReading {
  const { status } = failure;
  // Proxies answer 404 while the service behind them is down, in HTML or JSON: that says nothing about the id. Only the
  // dialect knows the service's own.
  if (status === 404 || status === 410) return { code: 'UPSTREAM_UNAVAILABLE' };
  // Nor does a proxy's 401 say anything about the key.
  if (status === 401 && isPage(failure)) return { code: 'UPSTREAM_UNAVAILABLE' };
  return { code: codeOf(status, ownKey) };
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  403: 'PERMISSION_DENIED',
  408: 'UPSTREAM_TIMEOUT',
  // Documented by work-study in place of 429 (work-study 1).
  419: 'RATE_LIMITED',
  429: 'RATE_LIMITED',
  504: 'UPSTREAM_TIMEOUT',
};

function codeOf(status: number, ownKey: boolean): ErrorCode {
  if (status === 401) return ownKey ? 'CREDENTIALS_REJECTED' : 'SOURCE_OFF';
  const known = CODES[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'UPSTREAM_UNAVAILABLE';
  return status >= 400 ? 'UPSTREAM_REFUSED_INPUT' : 'UPSTREAM_INVALID_RESPONSE';
}

/**
 * `retry-after` counts only if no earlier reset is reported: the waste platform's is always a whole window
 * (waste-identity 8).
 */
function waitSeconds({ headers }: FailedResponse): number {
  const waits = [readRetryAfter(headers), readReset(headers)].filter((seconds) => seconds !== null);
  return waits.length === 0 ? BARE_LIMIT_SECONDS : Math.max(1, Math.min(...waits));
}

/** What is said of a failed response without words of the service, after its name or around it. */
const MESSAGES: Partial<Record<ErrorCode, (service: ServiceName) => string>> = {
  CREDENTIALS_REJECTED: (service) => `${service} refused the key or token that was sent.`,
  PERMISSION_DENIED: (service) => `${service} knows the key or token, but it lacks this permission.`,
  RECONNECT_REQUIRED: (service) => `${service} no longer accepts the token: log in again.`,
  RATE_LIMITED: (service) => `The call quota of ${service} is spent for now.`,
  SOURCE_OFF: (service) => `${service} is switched off here: it refuses the operator's key.`,
  UPSTREAM_TIMEOUT: (service) => `${service} gave up waiting for its own backend.`,
  UPSTREAM_INVALID_RESPONSE: (service) => `${service} responded with a status that it does not document.`,
};

function messageOf(code: ErrorCode, failure: FailedResponse, service: ServiceName): string {
  if (code === 'UPSTREAM_REFUSED_INPUT' || code === 'BUSINESS_QUOTA')
    return `${service} refused the request${endOfRefusal(failure)}`;
  return MESSAGES[code]?.(service) ?? `${service} is not available.`;
}

/** The service's own message, truncated if long, unless it could name a host or address. */
function endOfRefusal({ json }: FailedResponse): string {
  const message = isRecord(json) ? json['message'] : undefined;
  if (typeof message !== 'string' || message === '' || NAMES_A_HOST.test(message)) return '.';
  if (message.length > MAX_MESSAGE_LENGTH) return `: ${message.slice(0, MAX_MESSAGE_LENGTH)}…`;
  return `: ${message.replace(/\.$/, '')}.`;
}

/**
 * The text with a secret that a service repeats in it masked; empty if it is repeated in another form than its own, such
 * as percent-encoded or escaped in JSON.
 */
export function withoutSecret(text: string, secret: string): string {
  const masked = text.replaceAll(secret, '[secret]');
  const characters = plain(masked);
  // A secret may look encoded itself.
  return [inBytes(secret), plain(secret)].some((form) => characters.includes(form)) ? '' : masked;
}

/** A text in bytes of UTF-8, of what is escaped or percent-encoded too. */
function plain(text: string): string {
  const unescaped = text.replaceAll(/(?:\\u[\da-fA-F]{4})+/g, (form) => JSON.parse(`"${form}"`));
  const decoded = inBytes(unescaped).replaceAll(/%[\da-f]{2}/gi, (form) =>
    String.fromCharCode(Number.parseInt(form.slice(1), 16)),
  );
  return compared(decoded);
}

function inBytes(text: string): string {
  return compared(Buffer.from(text).toString('latin1'));
}

/** Without backslashes, as how many stand for one depends on the form; spaces become pluses, as in addresses. */
function compared(text: string): string {
  return text.replaceAll('\\', '').replaceAll(' ', '+');
}
