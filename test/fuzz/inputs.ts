import { gzipSync } from 'node:zlib';
import type { Chance } from '../chance.js';

/** One request of the fuzz run. */
export interface FuzzInput {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** Legal, cheap operations, from which malformed requests are made. */
const DOCUMENTS = [
  '{ __typename }',
  'query A($n: Int) { missions(first: $n) { nodes { id title commune { nom } } } }',
  'query B($code: String!) { communes(code: $code) { nom code { insee } } }',
  '{ departements { nom codeInsee } sources { name state } }',
  'query C($text: String) { missionSearch(text: $text, first: 2) { nodes { ...f } facets { counted } } } fragment f on Mission { id city }',
  '{ viewer { id companies { siret } } }',
  'mutation { createJobOffer(input: {}) { id } }',
  'query D($s: [String!]) @skip(if: false) { missions(city: $s, first: 1) { totalCount edges { cursor } } }',
  '{ __schema { types { name fields { name } } } }',
];
const TOKENS = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '!',
  '$x',
  '...',
  '@skip(if: true)',
  '"',
  '"""',
  '#',
  ':',
  '-1e999',
  '\u0000',
  'é',
  '\ud83d',
  'on',
  'fragment a on Query { ...a }',
  '__proto__',
  'constructor',
  '1',
  'null',
];
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  'x',
  '33000',
  '\u0000',
  '\ud800',
  '＜script＞',
  '../../etc/passwd',
  "'; drop table",
  '{{7*7}}',
  '#{x}',
  [],
  [null],
  [[[]]],
  {},
  { __proto__: 1 },
  { constructor: { prototype: 1 } },
  'a'.repeat(5_000),
  [1, 'a', {}],
];
const TEXTS = [
  '',
  '1',
  'on',
  '*/*',
  'application/json',
  'application/graphql-response+json;q=0',
  'text/csv',
  'gzip, br;q=0',
  ';;;',
  'é',
  'a'.repeat(3_000),
  '\u00ff',
  'Bearer',
  'Bearer x',
  'passerelle=',
  'passerelle=x; passerelle=y',
  '__Host-passerelle=%00',
  'passerelle-login=a.b.c',
  'null',
  'https://evil.example',
  '00-x-y-01',
  `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`,
  'W/"x"',
  '*',
  'bytes=0-',
  'identity;q=0',
];
const HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'cookie',
  'origin',
  'sec-fetch-site',
  'x-work-study-key',
  'x-volunteering-key',
  'x-passerelle-trace',
  'x-passerelle-csrf',
  'x-passerelle-calls',
  'x-passerelle-dry-run',
  'x-request-id',
  'traceparent',
  'tracestate',
  'if-none-match',
  'x-forwarded-for',
  'content-encoding',
  'x-apollo-operation-name',
  'forwarded',
  'range',
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=latin1',
  'text/plain',
  'application/graphql',
  'multipart/form-data; boundary=x',
  '',
];
const METHODS = ['GET', 'HEAD', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
const PATHS = [
  '/graphql',
  '/graphql',
  '/graphql',
  '/graphql',
  '/auth/waste/callback',
  '/auth/waste/login',
  '/auth/waste/logout',
  '/auth/session',
  '/readyz',
  '/schema.graphql',
  '/graphiql',
  '/graphiql/assets/x',
  '/nowhere',
  '/%2e%2e/x',
  '/graphql/',
  '//graphql',
];
const PARAMETERS = [
  'query',
  'variables',
  'operationName',
  'extensions',
  'format',
  'path',
  'pages',
  'columns',
  'where',
  'order',
  'code',
  'state',
  'error',
  'error_description',
  'iss',
  'returnTo',
];

/** A request that is almost one that a client would send. */
export function inventInput(chance: Chance): FuzzInput {
  const path = chance.once(2) ? '/graphql' : chance.pick(PATHS);
  const method = path === '/graphql' && !chance.once(6) ? 'POST' : chance.pick(METHODS);
  const takesBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  const headers: Record<string, string> = {};
  for (let count = chance.once(3) ? chance.below(4) : 0; count > 0; count -= 1) {
    headers[chance.pick(HEADERS)] = latin(chance.pick(TEXTS));
  }
  const search = takesBody && !chance.once(5) ? '' : `?${inventSearch(chance)}`;
  if (!takesBody) return { method, path: path + search, headers, body: null };
  headers['content-type'] = chance.once(5) ? chance.pick(TYPES) : 'application/json';
  return { method, path: path + search, headers, body: inventBody(chance, headers) };
}

function inventBody(chance: Chance, headers: Record<string, string>): Buffer {
  const text = JSON.stringify(inventParameters(chance)) ?? '';
  const broken = chance.once(8) ? mutate(chance, text) : text;
  if (!chance.once(10)) return Buffer.from(broken);
  headers['content-encoding'] = chance.pick(['gzip', 'br', 'deflate', 'gzip, gzip', 'zstd']);
  return chance.once(2) ? gzipSync(broken) : Buffer.from(broken);
}

function inventParameters(chance: Chance): unknown {
  if (chance.once(30)) return chance.pick(VALUES);
  const body: Record<string, unknown> = { query: inventDocument(chance) };
  if (chance.once(2)) body['variables'] = inventVariables(chance);
  if (chance.once(6)) body['operationName'] = chance.pick(['A', 'B', '', 'nothing', chance.pick(VALUES)]);
  if (chance.once(8)) body['extensions'] = chance.pick([{ persistedQuery: chance.pick(VALUES) }, chance.pick(VALUES)]);
  if (chance.once(12)) body[String(chance.pick(VALUES)).slice(0, 20)] = chance.pick(VALUES);
  return body;
}

function inventDocument(chance: Chance): unknown {
  if (chance.once(25)) return chance.pick(VALUES);
  const document = chance.pick(DOCUMENTS);
  return chance.once(3) ? mutate(chance, document) : document;
}

function inventVariables(chance: Chance): unknown {
  if (chance.once(8)) return chance.pick(VALUES);
  const right: Readonly<Record<string, unknown>> = { n: 3, code: '33000', text: 'livre', s: ['Lyon'] };
  return Object.fromEntries(
    Object.entries(right).map(([name, value]) => [name, chance.once(5) ? chance.pick(VALUES) : value]),
  );
}

function inventSearch(chance: Chance): string {
  const search = new URLSearchParams();
  if (!chance.once(4)) search.append('query', String(inventDocument(chance)));
  for (let count = chance.below(4); count > 0; count -= 1) {
    search.append(chance.pick(PARAMETERS), inventText(chance));
  }
  const text = search.toString();
  return chance.once(6) ? text.replaceAll('%', chance.pick(['%', '%%', '%zz'])) : text;
}

function inventText(chance: Chance): string {
  return chance.once(2) ? chance.pick(TEXTS) : String(JSON.stringify(chance.pick(VALUES)));
}

/** Drops, repeats, swaps and inserts pieces of a text. */
function mutate(chance: Chance, text: string): string {
  let pieces = text.split(/(\W)/);
  for (let count = 1 + chance.below(3); count > 0; count -= 1) {
    const at = chance.below(pieces.length + 1);
    const other = pieces[chance.below(pieces.length)] ?? '';
    const [drop, insert] = chance.pick([
      [1, []],
      [0, [other]],
      [1, [other]],
      [0, [chance.pick(TOKENS)]],
      [0, Array(200).fill(chance.pick(TOKENS))],
    ] as [number, string[]][]);
    pieces = [...pieces.slice(0, at), ...insert, ...pieces.slice(at + drop)];
  }
  return pieces.join('');
}

/** Only the characters that an HTTP header can carry. */
function latin(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, '');
}
