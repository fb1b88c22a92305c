import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { loginsIn, sessionIn } from '../../gateway/auth/cookies.js';
import { readReturnTo, refuseForgedLogout, refuseForgedRequest } from '../../gateway/auth/cross-site.js';
import { addressOf, readProxies } from '../../gateway/callers/caller-limits.js';
import { refuseOverlong } from '../../gateway/callers/connection-guard.js';
import { isKnown } from '../../gateway/endpoint/send-response.js';
import { startSubgraphOperation } from '../../gateway/endpoint/subgraph-host.js';
import { readRowRequest } from '../../gateway/files/row-request.js';
import { documentErrors } from '../../gateway/limits/safelist.js';
import { mayTrace, readCredentials } from '../../gateway/request/request.js';
import { HEADER_BYTES } from '../../kernel/bounds.js';
import { CREDENTIAL_HEADERS, type CredentialHeader } from '../../kernel/services.js';
import { createCredentialMinter, createRootKeys, readToken } from '../../runtime/credentials/credentials.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { createCrossOrigin } from '../../runtime/http/cross-origin.js';
import { chooseEncoding, chooseResponseType, pageLanguage, statusFor } from '../../runtime/http/negotiation.js';
import { readQueryParameters } from '../../runtime/http/parameters.js';
import { DOCUMENT_BOUNDS, parseJsonBody } from '../../runtime/http/request-body.js';
import { RequestError } from '../../runtime/http/request-error.js';
import {
  HEADER_LENGTHS,
  type HeaderName,
  readTraceContext,
  readTraceparent,
  requestIdOf,
} from '../../runtime/http/request-headers.js';
import { createOtlpTracing } from '../../runtime/process/otlp-tracing.js';
import { recordingLog } from '../../test/gateway/support/open-gateway.js';
import { createTestSubgraph } from '../../test/gateway/support/test-graph.js';

/**
 * Guards the time that a header or a parameter takes, which anyone may send without a login: twice as many characters
 * take about twice as long, whatever they are.
 */

type Read = (text: string) => unknown;
type Headers = Readonly<Record<string, string>>;

const mint = createCredentialMinter(createRootKeys([]));
const secret = new Secret('a secret of the operator');
const crossOrigin = createCrossOrigin(['https://site.example', 'https://*.site.example'], null, {
  log: recordingLog([]),
  metrics: null,
});
const tracing = createOtlpTracing({ endpoint: 'http://127.0.0.1:1', serviceName: 'test', ratio: 0 }, recordingLog([]));
const pages = { allows: crossOrigin.allows, ownOrigin: () => 'http://own.example' };
const proxies = readProxies(['10.0.0.0/8', '2001:db8::/32']);

/** What decides whether a page may send a request, each part as far as the headers lead. */
const judge = (headers: Headers) => {
  settled(() => crossOrigin.refuseBlindRequest(headers));
  for (const refuse of [refuseForgedRequest, refuseForgedLogout]) settled(() => refuse(headers, pages));
};
const ofSubgraph = (headers: Headers) =>
  startSubgraphOperation(
    { id: 'r', headers },
    {
      subgraph: createTestSubgraph('volunteering'),
      host: '127.0.0.1',
      port: 0,
      subgraphTokens: [secret],
      mintCredential: mint,
      requestDeadlineMs: 1,
      log: recordingLog([]),
      phase: () => 'ready',
    },
  ).own.finish();

const OF_CREDENTIALS = Object.fromEntries(
  CREDENTIAL_HEADERS.map((name) => [name, (headers: Headers) => readCredentials(headers, mint)]),
) as Readonly<Record<CredentialHeader, (headers: Headers) => unknown>>;

/** What reads each header. Only its type keeps it complete: a header that is not listed cannot be read. */
const HEADERS: Readonly<Record<HeaderName, (headers: Headers, text: string) => unknown>> = {
  ...OF_CREDENTIALS,
  accept: (_, text) => {
    chooseResponseType(text);
    statusFor(text, 400, 'BAD_USER_INPUT');
    readRowRequest(text, new URLSearchParams());
  },
  'accept-encoding': (_, text) => chooseEncoding(text),
  'accept-language': (headers) => pageLanguage({ query: {}, headers }),
  'access-control-request-headers': (headers) => crossOrigin.answerPreflight(headers),
  'content-encoding': (_, text) => text.trim().toLowerCase(),
  'content-length': (_, text) => Number(text),
  'content-type': (headers, text) => {
    judge(headers);
    for (const type of [text, `application/json; charset=${text}`]) {
      try {
        parseJsonBody({ 'content-type': type }, Buffer.from('1'));
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
      }
    }
  },
  cookie: (headers, text) => {
    sessionIn(headers, false);
    loginsIn(headers, false);
    loginsIn({ cookie: `passerelle-login=${text}`.slice(0, HEADER_LENGTHS.cookie) }, false);
  },
  host: (headers, text) => judge({ ...headers, origin: `http://${text}`.slice(0, HEADER_LENGTHS.origin) }),
  'if-none-match': (headers) => isKnown('W/"tag"', headers),
  origin: (headers) => {
    judge(headers);
    crossOrigin.answerPreflight(headers);
  },
  // Of files only, by their library.
  range: (_, text) => text.replace('bytes=', '').split('-'),
  'sec-fetch-dest': judge,
  'sec-fetch-mode': judge,
  'sec-fetch-site': judge,
  traceparent: readTraceparent,
  tracestate: (headers) =>
    tracing.start(
      'request',
      readTraceContext({ traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`, ...headers }),
    ),
  'x-apollo-operation-name': judge,
  'x-forwarded-for': (headers) => addressOf({ headers, socket: { remoteAddress: '10.0.0.1' } }, proxies),
  'x-passerelle-caller': ofSubgraph,
  'x-passerelle-calls': judge,
  'x-passerelle-calls-left': ofSubgraph,
  'x-passerelle-csrf': judge,
  'x-passerelle-deadline-ms': ofSubgraph,
  'x-passerelle-dry-run': (_, text) => mayTrace(secret, text),
  'x-passerelle-fetch': ofSubgraph,
  'x-passerelle-subgraph-token': (headers) => readToken(headers, [secret]),
  'x-passerelle-trace': (_, text) => mayTrace(secret, text),
  'x-request-id': requestIdOf,
};

/** Reads an address of rows whose parameter has this text. */
const ofLink =
  (name: string): Read =>
  (text) => {
    const search = new URLSearchParams({ query: '{ a }', format: 'csv', [name]: text });
    settled(() => readRowRequest(undefined, search));
    settled(() => readQueryParameters(search));
  };

/** What reads each parameter of an address. */
const PARAMETERS: Readonly<Record<string, Read>> = {
  ...Object.fromEntries(
    ['query', 'operationName', 'variables', 'extensions', 'format', 'path', 'pages'].map((name) => [
      name,
      ofLink(name),
    ]),
  ),
  columns: ofLink('columns'),
  where: ofLink('where'),
  order: ofLink('order'),
  distinct: ofLink('distinct'),
  returnTo: (text) => readReturnTo(text, crossOrigin.allows),
  // The whole address, of any parameters.
  state: (text) =>
    settled(() => {
      refuseOverlong({ headers: {}, url: `/?${text}` });
      const search = new URLSearchParams(text);
      readRowRequest(undefined, search);
      return search.getAll('state');
    }),
  lang: (lang) => pageLanguage({ query: { lang }, headers: {} }),
};

/** Starts after which, repeated parts of which, and ends before which a careless reader looks again and again. */
const STARTS = ['', 'fr', 'bearer ', 'a:in:["', '/'];
const PARTS = [
  ...['a', '1', ' ', ',', ';', '=', '.', ':', '-', '"', '\\', '%', '/', '@', '#', '{', '[', '[]', 'é', '&'],
  ...['a,', 'a;', 'a ', 'a-', 'a.', 'a:', 'a=b;', ', ', '; ', ';q=', ';q=1,', '"a",', 'W/"a",', '%25', '10.0.0.1,'],
  ...['[::1]:1,', '2001:db8::1,', '\\"', '"""', 'x&', 'a=b&', '{"a":', 'a:eq:b,', 'xn--a.'],
];
const ENDS = ['', '!', '10.0.0.1'];

/** Times of a reader are those of as many calls as take this long. */
const MEASURED_MS = 3;
const RUNS = 5;
/** Shapes of each length that are looked at twice, and those of them whose times are measured with care. */
const LOOKED_AT = 8;
const WORST = 1;
const MAX_RATIO = 2.6;
/**
 * How many times as long as looking at each character of the longest header is still little. What looks again and again
 * takes more at every bound; Node's URL parser, at the bound of `Host`, a tenth of a millisecond for 1,000 characters
 * and a third of that for 500.
 */
const LITTLE = 4;
const readCharacters: Read = (text) => [...text].length;
let littleMs = 0;
/** So little takes as long as a busy machine makes it: what looks again and again takes hundreds of times as long. */
function isLittle(ms: number): boolean {
  littleMs ||= LITTLE * (leastOfEach(readCharacters, ['a'.repeat(HEADER_BYTES)])[0] ?? 0);
  return ms < littleMs;
}

describe('Twice the characters take about twice as long in', () => {
  const headers = Object.entries(HEADERS).map(([name, read]) => {
    const bound = HEADER_LENGTHS[name as HeaderName];
    return [`the header ${name}`, bound, (text: string) => read({ [name]: text }, text)] as const;
  });
  const parameters = Object.entries(PARAMETERS).map(
    ([name, read]) => [`the parameter ${name}`, name === 'returnTo' ? 2_000 : HEADER_BYTES, read] as const,
  );

  test.each([...headers, ...parameters])('%s', (_name, bound, read) => {
    const lengths = [bound, bound / 2] as const;
    const glances = lengths.map((length) => slowest(SHAPES, { read, length, runs: 1, calls: 1 }));
    if (glances.every(([worst]) => worst !== undefined && isLittle(worst.ms))) return;
    // What is worst at one length may be refused at once at the other.
    const shapes = lengths.flatMap((length, at) => worstShapes(glances[at] ?? [], read, length));
    const times = [...new Set(shapes)].map((shape) => leastOfEach(read, lengths.map(shape)));
    const [whole = 0, half = 0] = lengths.map((_, at) => Math.max(...times.map((each) => each[at] ?? 0)));
    if (isLittle(whole)) return;
    expect(whole / half, JSON.stringify({ half, whole })).toBeLessThan(MAX_RATIO);
  });
});

test('Twice the characters take about twice as long in hiding what a message suggests', () => {
  const schema = buildSchema('type Query { offers(remote: Remote): Int } enum Remote { FULL }');
  const read: Read = (text) => documentErrors(schema, `{ offers(remote: "${text}") }`);
  const longest = DOCUMENT_BOUNDS.bytes - 100;
  const [whole = 0, half = 0] = leastOfEach(
    read,
    [longest, longest / 2].map((length) => 'Did you mean '.repeat(length / 13)),
  );
  expect(whole / half, JSON.stringify({ half, whole })).toBeLessThan(MAX_RATIO);
});

type Shape = (length: number) => string;

/** A shape and how long a reader takes for it. */
interface Timed {
  readonly shape: Shape;
  readonly ms: number;
}

interface Timing {
  readonly read: Read;
  readonly length: number;
  readonly runs: number;
  readonly calls: number;
}

/** Shapes with the least of some times, the slowest first. */
function slowest(among: readonly Shape[], { read, length, runs, calls }: Timing): readonly Timed[] {
  return among
    .map((shape) => {
      const text = shape(length);
      return { shape, ms: Math.min(...Array.from({ length: runs }, () => cpuMs(read, text, calls))) };
    })
    .sort((one, other) => other.ms - one.ms);
}

/** The shapes that a reader takes longest for: of the slowest at a glance, the slowest with care. */
function worstShapes(glances: readonly Timed[], read: Read, length: number): readonly Shape[] {
  const candidates = glances.slice(0, LOOKED_AT).map(({ shape }) => shape);
  return slowest(candidates, { read, length, runs: 3, calls: 10 })
    .slice(0, WORST)
    .map(({ shape }) => shape);
}

/**
 * Milliseconds of work of one call for each text: the least of some runs, each of as many calls as take long enough to
 * measure. The texts take turns, so that a machine that becomes slower slows all of them.
 */
function leastOfEach(read: Read, texts: readonly string[]): number[] {
  const timed = texts.map((text) => ({ text, calls: callsTaking(MEASURED_MS, read, text) }));
  const rounds = Array.from({ length: RUNS }, () => timed.map(({ text, calls }) => cpuMs(read, text, calls) / calls));
  return texts.map((_, at) => Math.min(...rounds.map((round) => round[at] ?? Number.POSITIVE_INFINITY)));
}

/**
 * Texts of about a length, of whole parts: every part before every end, after one of the starts; in the long run, after
 * each. The starts take turns, because their number has no common factor with that of parts and ends.
 */
const SHAPES: readonly Shape[] = STARTS.flatMap((start) =>
  PARTS.flatMap((part) =>
    ENDS.map((end) => (length: number) => {
      const times = Math.floor((length - start.length - end.length) / part.length);
      return Buffer.from(start + part.repeat(times) + end, 'latin1').toString('latin1');
    }),
  ),
).filter((_, at) => at % STARTS.length === 0);

/** How many calls take at least so many milliseconds once the compiler has seen them often. */
function callsTaking(ms: number, read: Read, text: string): number {
  let calls = 1;
  while (cpuMs(read, text, calls) < ms) calls *= 2;
  return calls;
}

/** Milliseconds that a number of calls work, whatever else the machine does. */
function cpuMs(read: Read, text: string, calls: number): number {
  const started = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) read(text);
  const { user, system } = process.cpuUsage(started);
  return Math.max(1, user + system) / 1_000;
}

function settled(read: () => unknown): void {
  try {
    read();
  } catch {
    // What is malformed is refused.
  }
}
