import { gzipSync } from 'node:zlib';
import { queryBody, type Sent } from './support/send.js';

/** A request made to do harm, and the response that it must get. */
export interface HostileRequest {
  readonly name: string;
  readonly sent: Sent;
  readonly status: number;
  /** The code of the first error; null if the query succeeds. */
  readonly code: string | null;
  /** Maximum bytes of the response; by default enough for a refusal. */
  readonly bytes?: number;
  /** Maximum number of listed errors; by default one. */
  readonly errors?: number;
  /** Maximum peak memory in megabytes, garbage included; by default that of a refusal. */
  readonly peakMb?: number;
}

const BY_CITY = 'query($c: [String!]) { missions(first: 1, city: $c) { nodes { id } } }';

const MANY_FIELDS =
  'id clientId title description descriptionHtml type domain activity tasks audience softSkills tags schedule startAt ' +
  'applicationUrl publisherName publisherUrl publisherLogo address postalCode city departmentName region country ' +
  'organizationName organizationUrl organizationLogo organizationDescription organizationFullAddress organizationCity';

const ORGANIZATION =
  'id esId rna siret siren rupMi isRUP gestion status nature groupement source title shortTitle titleSlug ' +
  'shortTitleSlug object socialObject1 socialObject2 createdAt lastDeclaredAt publishedAt dissolvedAt updatedAt syncAt ' +
  'addressComplement addressNumber addressRepetition addressType addressStreet addressDistribution addressInseeCode ' +
  'addressPostalCode addressDepartmentCode addressDepartmentName addressRegion addressCity managementDeclarant ' +
  'managementComplement managementStreet managementDistribution managementPostalCode managementCity managementCountry ' +
  'website';

/** Bodies whose size or shape is the attack; all are refused before they are parsed. */
const BODIES: readonly HostileRequest[] = [
  {
    name: 'three million zeros in 6 kB of gzip',
    sent: zipped(listOf('0', 2_950_000)),
    status: 413,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a million empty texts in 3 kB of gzip',
    sent: zipped(listOf('""', 1_000_000)),
    status: 413,
    code: 'BAD_REQUEST',
  },
  { name: 'half a million keys', sent: zipped(keysOf(500_000)), status: 413, code: 'BAD_REQUEST' },
  { name: 'three million brackets in each other', sent: zipped(nested(2_900_000)), status: 413, code: 'BAD_REQUEST' },
  { name: '25,000 keys in 250 kB', sent: { body: keysOf(25_000) }, status: 413, code: 'BAD_REQUEST' },
  { name: 'brackets in each other in 250 kB', sent: { body: nested(120_000) }, status: 400, code: 'BAD_REQUEST' },
];

/** Values each of which would become an error, a word of an address or a row. */
const VALUES: readonly HostileRequest[] = [
  {
    name: 'a list of nine thousand wrong items',
    sent: { body: listOf('0', 9_000) },
    status: 400,
    code: 'BAD_USER_INPUT',
    errors: 50,
    bytes: 20_000,
  },
  {
    name: 'a list of 201 cities',
    sent: { body: queryBody(BY_CITY, { c: cities(201, 'Ville') }) },
    status: 200,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'cities that make an address of 9 kB',
    sent: { body: queryBody(BY_CITY, { c: cities(190, 'Villeneuve-sur-la-longue-rivière') }) },
    status: 200,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'the name of another route as an id, in six spellings',
    sent: {
      body: queryBody(
        `{ ${['Search', 'SEARCH', 'sEarch', 'search ', 'search/', '%73earch'].map((id, at) => `m${at}: mission(id: "${id}") { id }`).join(' ')} }`,
      ),
    },
    status: 200,
    code: null,
  },
  {
    name: 'an id of 200 kB',
    sent: { body: queryBody('query($id: ID!) { mission(id: $id) { id } }', { id: 'a'.repeat(200_000) }) },
    status: 200,
    code: null,
  },
  {
    name: 'a text of 90 kB to search for',
    sent: {
      body: queryBody('query($t: String) { missionSearch(text: $t) { totalCount } }', { t: 'a'.repeat(90_000) }),
    },
    status: 200,
    code: 'BAD_USER_INPUT',
  },
];

const THERE_AND_BACK = `missionsLocales { organization { ${'workplaces { siret name legalName size organization { siret title '.repeat(5)} workplaces { siret } ${'} }'.repeat(5)} } }`;

const DOUBLED = `{ ...F0 } ${doubling('Query', 27, 'missions(first: 2) { nodes { id } }')}`;
const COMMUNE = many(10, () => 'commune { ...F1 }');

/** Texts of one or two kilobytes that spread to millions of fields, both equal and different. */
const SPREADS: readonly HostileRequest[] = [
  { name: 'a list whose fragments double it 27 times', ...refused({ body: queryBody(DOUBLED) }) },
  {
    name: 'a leaf that fragments double 99 times',
    ...refused({
      body: queryBody(`{ ...F0 missions(first: 2) { nodes { id } } } ${doubling('Query', 98, '__typename')}`),
    }),
  },
  {
    name: 'a field that fails, which fragments double 27 times',
    ...refused({
      body: queryBody(
        `{ missions(first: 2) { nodes { ...F0 } } } ${doubling('Mission', 27, 'id commune { nom missions(first: 1, after: "bad") { nodes { id } } }')}`,
      ),
    }),
  },
  {
    name: 'ten equal fields in each of eight fragments in each other',
    ...refused({
      body: queryBody(
        `{ missions(first: 1) { nodes { ${COMMUNE} } } } ${many(8, (at) => `fragment F${at + 1} on ${at % 2 === 0 ? 'Commune' : 'Mission'} { ${many(10, () => (at % 2 === 0 ? `missions(first: 1) { nodes { ...F${at + 2} } }` : `commune { ...F${at + 2} }`))} }`)} fragment F9 on Commune { nom }`,
      ),
    }),
  },
  {
    name: 'fragments that spread all later ones',
    ...refused({
      body: queryBody(
        `{ missions(first: 1) { nodes { ...F0 } } } ${many(24, (at) => `fragment F${at} on Mission { ${many(23 - at, (later) => `...F${at + later + 1}`)} id }`)}`,
      ),
    }),
  },
  {
    name: 'rows of all pages of a list whose fragments double it 27 times',
    ...refused({
      method: 'GET',
      path: `/graphql?format=csv&pages=all&path=missions.nodes&query=${encodeURIComponent(DOUBLED)}`,
    }),
  },
];

const DOCUMENTS: readonly HostileRequest[] = [
  {
    name: 'twelve times all missions with their texts',
    sent: { body: queryBody(`{ ${many(12, (at) => `m${at}: missions(first: 4160) { nodes { ${MANY_FIELDS} } }`)} }`) },
    status: 400,
    code: 'ANSWER_TOO_LARGE',
  },
  {
    name: 'workplaces of organizations of workplaces, there and back five times',
    sent: { body: queryBody(`{ ${THERE_AND_BACK} }`) },
    status: 400,
    code: 'ANSWER_TOO_LARGE',
    // Noticed only while the response is built, which is given up at 32 MB.
    peakMb: 512,
  },
  {
    name: 'the same beside the schema',
    sent: { body: queryBody(`{ __type(name: "Mission") { name } ${THERE_AND_BACK} }`) },
    status: 400,
    code: 'ANSWER_TOO_LARGE',
    peakMb: 512,
  },
  {
    name: 'half a million values beside the schema',
    sent: {
      body: queryBody(
        `{ __type(name: "Mission") { name } missions(first: 5869) { nodes { ${many(97, (at) => `a${at}: location { lat }`)} } } }`,
      ),
    },
    status: 400,
    code: 'ANSWER_TOO_LARGE',
  },
  {
    name: 'all types of the schema, ninety-eight times',
    sent: {
      body: queryBody(
        `{ __schema { ${many(98, (at) => `a${at}: types { ...T }`)} } }
        fragment T on __Type { fields { type { fields { args { type { kind } } } } } }`,
      ),
    },
    status: 400,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'a page that no source serves, below each of four thousand rows',
    sent: {
      body: queryBody(
        `{ missions(first: 4160) { nodes { id commune { ${many(8, (at) => `a${at}: missions(first: 20000) { totalCount }`)} } } } }`,
      ),
    },
    status: 400,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a query that is no percent-encoding',
    sent: { method: 'GET', path: '/graphql?query=%ZZ' },
    status: 400,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  { name: 'a path that is no percent-encoding', sent: { method: 'GET', path: '/%' }, status: 400, code: 'BAD_REQUEST' },
  {
    name: 'ten unknown directives on one field',
    sent: { body: queryBody(`{ __typename ${many(10, (at) => `@d${at}`)} }`) },
    status: 400,
    code: 'GRAPHQL_VALIDATION_FAILED',
    errors: 9,
  },
  {
    name: 'three thousand operations in one document',
    sent: { body: JSON.stringify({ operationName: 'q0', query: many(3_000, (at) => `query q${at}{__typename}`) }) },
    status: 400,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
];

const ALL_TEXTS = `{ missions(first: 5869) { nodes { ${many(5, (at) => `a${at}: description`)} } } }`;

/** Columns of a layout that has 4,275, the last ones first. */
const WIDE = {
  query: `{ missions(first: 1, keywords: "zzzzq") { nodes { ${many(95, (at) => `a${at}: organization { ...O }`)} } } } fragment O on Organization { ${ORGANIZATION} }`,
  path: 'missions.nodes',
  columns: Array.from(
    { length: 200 },
    (_, at) => `a${94 - (at % 95)}.${['website', 'managementCity', 'status'][Math.floor(at / 95)]}:${at}`,
  ).join(','),
  order: 'a94.website',
};

/** Fragments of equal fields, spread in thirty lists. */
function spreading(fragments: number): string {
  const spreads = many(fragments, (at) => `...F${at}`);
  const equal = many(
    fragments,
    (at) => `fragment F${at} on Mission { ${MANY_FIELDS.replace(/ organization\w*/g, '')} ${'id '.repeat(30)} }`,
  );
  return `fragment R on Query { ${many(30, (at) => `m${at}: missions(first: 1) { nodes { ${spreads} } }`)} } ${equal}`;
}

const SPREAD_AGAIN = `${many(94, (at) => `query Q${at} { ...R }`)} query Z { missions(first: 1) { nodes { id } } } ${spreading(4)}`;

const FILES: readonly HostileRequest[] = [
  {
    name: 'two hundred columns of thousands that no row has',
    sent: {
      method: 'GET',
      path: `/graphql?format=csv&${new URLSearchParams(WIDE)}${'&where=a94.website:eq:x'.repeat(20)}`,
    },
    status: 200,
    code: null,
  },
  {
    name: 'columns of one of ninety-five operations that spread the same six thousand fields',
    sent: { path: '/graphql?format=csv&columns=id', body: JSON.stringify({ operationName: 'Z', query: SPREAD_AGAIN }) },
    status: 400,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'columns of a query that spreads twenty thousand fields',
    sent: { path: '/graphql?format=csv&columns=m0.nodes&path=m0.nodes', body: queryBody(`{ ...R } ${spreading(11)}`) },
    status: 400,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a path of seven thousand steps behind a field that no row has',
    sent: {
      path: `/graphql?format=csv&path=missions.nodes.snuPlaces${'.x'.repeat(7_000)}`,
      body: queryBody('{ missions(first: 5869) { nodes { snuPlaces } } }'),
    },
    status: 400,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'twenty searches of all texts, several times each, that find nothing',
    sent: {
      method: 'GET',
      path: `/graphql?format=csv&query=${encodeURIComponent(ALL_TEXTS)}${'&where=*:has:e'.repeat(19)}&where=*:has:zzzzqq`,
    },
    status: 200,
    code: null,
    // Most of it is the response itself, before it is searched.
    peakMb: 512,
  },
];

/** All hostile requests; each is sent anonymously and once. */
export const HOSTILE_REQUESTS: readonly HostileRequest[] = [...BODIES, ...VALUES, ...SPREADS, ...DOCUMENTS, ...FILES];

/** Fragments on a type, each of which spreads the next one twice, down to these fields. */
function doubling(type: string, times: number, fields: string): string {
  const fragments = many(times, (at) => `fragment F${at} on ${type} { ...F${at + 1} ...F${at + 1} }`);
  return `${fragments} fragment F${times} on ${type} { ${fields} }`;
}

function refused(sent: Sent): Pick<HostileRequest, 'sent' | 'status' | 'code'> {
  return { sent, status: 400, code: 'GRAPHQL_VALIDATION_FAILED' };
}

function listOf(item: string, count: number): string {
  return `{"query":${JSON.stringify(BY_CITY)},"variables":{"c":[${new Array(count).fill(item).join(',')}]}}`;
}

function cities(count: number, name: string): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${name}-${at}`);
}

function keysOf(count: number): string {
  return `{"query":"{__typename}","variables":{${Array.from({ length: count }, (_, at) => `"${at}":0`).join(',')}}}`;
}

function nested(depth: number): string {
  return `{"query":"{__typename}","variables":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
}

function zipped(text: string): Sent {
  return { body: gzipSync(text, { level: 9 }), headers: { 'content-encoding': 'gzip' } };
}

function many(count: number, write: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => write(at)).join(' ');
}
