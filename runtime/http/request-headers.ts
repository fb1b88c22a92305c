import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { HEADER_BYTES } from '../../kernel/bounds.js';
import type { TraceContext } from '../../kernel/log.js';
import { CREDENTIAL_HEADERS, type CredentialHeader } from '../../kernel/services.js';
import { ownValue } from '../../kernel/text.js';

/** Headers of a request as Node reads them, with lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Characters of a header that names, negotiates or counts something. Browsers and proxies send a few hundred. */
const SHORT = 1_000;
/** Characters of a header with a secret: a token may be a long JWT. */
export const MAX_SECRET_HEADER = 8_000;

const CREDENTIAL_HEADER_LENGTHS = Object.fromEntries(
  CREDENTIAL_HEADERS.map((name) => [name, MAX_SECRET_HEADER]),
) as Readonly<Record<CredentialHeader, number>>;

/** Every request header that is read, by us or by a library, with its longest value in characters. */
export const HEADER_LENGTHS = {
  accept: SHORT,
  'accept-encoding': SHORT,
  'accept-language': SHORT,
  'access-control-request-headers': SHORT,
  'content-encoding': SHORT,
  'content-length': SHORT,
  'content-type': SHORT,
  // Those of other programs of the host come with ours, and only all headers together are bounded.
  cookie: HEADER_BYTES,
  host: SHORT,
  'if-none-match': SHORT,
  origin: SHORT,
  range: SHORT,
  'sec-fetch-dest': SHORT,
  'sec-fetch-mode': SHORT,
  'sec-fetch-site': SHORT,
  traceparent: SHORT,
  // Its tracers add to it unasked; 32 entries may have 16 kB.
  tracestate: HEADER_BYTES,
  'x-apollo-operation-name': SHORT,
  'x-forwarded-for': SHORT,
  'x-passerelle-caller': SHORT,
  'x-passerelle-calls': SHORT,
  'x-passerelle-calls-left': SHORT,
  'x-passerelle-csrf': SHORT,
  'x-passerelle-deadline-ms': SHORT,
  'x-passerelle-dry-run': MAX_SECRET_HEADER,
  'x-passerelle-fetch': SHORT,
  'x-passerelle-subgraph-token': MAX_SECRET_HEADER,
  'x-passerelle-trace': MAX_SECRET_HEADER,
  'x-request-id': SHORT,
  ...CREDENTIAL_HEADER_LENGTHS,
} as const;

/** A request header that is read. */
export type HeaderName = keyof typeof HEADER_LENGTHS;

/** The one value of a header; undefined when it is absent, was sent several times, or is too long to be read. */
export function oneHeader(headers: RequestHeaders, name: HeaderName): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value.length <= HEADER_LENGTHS[name] ? value : undefined;
}

/** What is refused with status 431, as a message; null if every header that is read is short enough. */
export function overlongHeader(headers: RequestHeaders): string | null {
  for (const name in headers) {
    const length = headers[name]?.length ?? 0;
    const longest = ownValue<number>(HEADER_LENGTHS, name) ?? length;
    if (length > longest) return `The header ${name} is longer than ${longest} characters.`;
  }
  return null;
}

/**
 * Headers of one request. Clients and proxies send some dozens; Node drops those after the thousandth without a word,
 * and with them what a proxy appends, such as the caller's address.
 */
const MAX_HEADERS = 100;

/** What is refused with status 431 before anything is read, as a message; null for a request without too many headers. */
export function excessHeaders({ rawHeaders }: { readonly rawHeaders: readonly string[] }): string | null {
  // Names and values in turns, repeated headers included.
  return rawHeaders.length <= 2 * MAX_HEADERS ? null : `A request has at most ${MAX_HEADERS} headers.`;
}

/**
 * Whether a request says twice where it leads: refused with 400 (RFC 9112, 3.2), because Node reads the first `Host`, and
 * a proxy before us may have read the last.
 */
export function hasTwoHosts({ rawHeaders }: { readonly rawHeaders: readonly string[] }): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && /^host$/i.test(text)).length > 1;
}

/** Suffixes that the public DNS does not have: RFC 6761, RFC 6762, RFC 8375, .internal (ICANN 2024); .svc is Kubernetes'. */
const NOT_PUBLIC = /\.(localhost|local|test|home\.arpa|internal|svc)$/;

/**
 * The name in `Host`, in lower case, if a stranger may have registered it and let it resolve to our address (DNS
 * rebinding); null for addresses, names without a dot, and those of private suffixes.
 */
export function publicNameIn(headers: RequestHeaders): string | null {
  const host = oneHeader(headers, 'host') ?? '';
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return !name.includes('.') || /^\[.*\]$/.test(name) || isIP(name) !== 0 || NOT_PUBLIC.test(name) ? null : name;
}

/**
 * The W3C trace context of a request (`traceparent`); undefined if it is absent or malformed. Of a later version, its
 * first parts are read, as those of version 00.
 */
export function readTraceparent(headers: RequestHeaders): string | undefined {
  const given = oneHeader(headers, 'traceparent') ?? '';
  const [, version, parts, more] = /^([\da-f]{2})(-[\da-f]{32}-[\da-f]{16}-[\da-f]{2})(-.*)?$/.exec(given) ?? [];
  if (parts === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return /-0{16}-|-0{32}-/.test(parts) ? undefined : `00${parts}`;
}

/** The W3C trace context of a request, whose `tracestate` is not checked: it means nothing without a `traceparent`. */
export function readTraceContext(headers: RequestHeaders): TraceContext {
  const traceparent = readTraceparent(headers);
  return { traceparent, tracestate: traceparent && oneHeader(headers, 'tracestate') };
}

/** The `x-request-id` of a request; if it is absent, or unsafe in logs and headers, 32 new hexadecimal digits. */
export function requestIdOf(headers: RequestHeaders): string {
  const given = oneHeader(headers, 'x-request-id');
  return given !== undefined && /^[\w.:/+=-]{1,128}$/.test(given) ? given : randomUUID().replaceAll('-', '');
}
