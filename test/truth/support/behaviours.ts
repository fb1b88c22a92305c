/** A request, and what the GraphQL specification and its reference implementation make of it. */
export interface Behaviour {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: string | null;
  /** The whole data of the response, executed without an error unless `errors` says so. */
  readonly data?: unknown;
  /** The errors of an executed operation: code and path. */
  readonly errors?: readonly (readonly [code: string, path: readonly (string | number)[]])[];
  /** The code with which the request is refused as a whole, before any call: no data. */
  readonly refused?: string;
}

const PARIS = 'commune(insee: "75056")';
const INVALID = 'GRAPHQL_VALIDATION_FAILED';
const INPUT = 'BAD_USER_INPUT';
const NAMES = ['work-study', 'waste-identity', 'volunteering'];
const TWO = 'query One { one: __typename } query Other { other: __typename }';

/** Documents that are refused as they are. */
const invalid = (queries: Readonly<Record<string, string>>): Readonly<Record<string, Behaviour>> =>
  Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, { query, refused: INVALID }]));

const OPERATIONS: Readonly<Record<string, Behaviour>> = {
  'an operation without a name is executed': { query: '{ __typename }', data: { __typename: 'Query' } },
  'the only operation is executed though it has a name': {
    query: 'query Only { __typename }',
    data: { __typename: 'Query' },
  },
  'a name chooses among operations': { query: TWO, operationName: 'Other', data: { other: 'Query' } },
  'a name chooses the first as well as the last': { query: TWO, operationName: 'One', data: { one: 'Query' } },
  'operations without a name to choose by are refused': { query: TWO, refused: 'OPERATION_RESOLUTION_FAILURE' },
  'a name that is null is no name': { query: TWO, operationName: null, refused: 'OPERATION_RESOLUTION_FAILURE' },
  'a name that no operation has is refused': {
    query: TWO,
    operationName: 'Third',
    refused: 'OPERATION_RESOLUTION_FAILURE',
  },
  'a name that the only operation does not have is refused': {
    query: '{ __typename }',
    operationName: 'Only',
    refused: 'OPERATION_RESOLUTION_FAILURE',
  },
  'names are compared with their case': {
    query: TWO,
    operationName: 'one',
    refused: 'OPERATION_RESOLUTION_FAILURE',
  },
  'a mutation that is not chosen is not executed': {
    query:
      'query Read { __typename } mutation Write { generateAppointmentLink(input: { parcoursupId: "1" }) { userErrors { message } } }',
    operationName: 'Read',
    data: { __typename: 'Query' },
  },
  'two operations of one name are refused': {
    query: 'query A { __typename } query A { __typename }',
    operationName: 'A',
    refused: INVALID,
  },
  'an operation without a name beside another is refused': {
    query: '{ __typename } query A { __typename }',
    operationName: 'A',
    refused: INVALID,
  },
  'a text that is no document is refused': { query: '{ __typename', refused: 'GRAPHQL_PARSE_FAILED' },
  'commas, comments and a byte order mark mean nothing': {
    query: '\uFEFF{ # comment }\n,,, __typename,, }',
    data: { __typename: 'Query' },
  },
  ...invalid({
    'a document of fragments alone is refused': 'fragment F on Query { __typename }',
    'a subscription is refused': 'subscription { __typename }',
  }),
};

const VARIABLES: Readonly<Record<string, Behaviour>> = {
  'a default value stands for a variable that is missing': {
    query: `query ($i: INSEECode = "75056") { commune(insee: $i) { nom } }`,
    data: { commune: { nom: 'Paris' } },
  },
  'a value takes the place of the default value': {
    query: `query ($i: INSEECode = "75056") { commune(insee: $i) { nom } }`,
    variables: { i: '38185' },
    data: { commune: { nom: 'Grenoble' } },
  },
  'an argument keeps its default value if its variable is missing': {
    query: 'query ($r: Float) { commune(insee: "75056") { missions(radius: $r, first: 0) { nodes { id } } } }',
    data: { commune: { missions: { nodes: [] } } },
  },
  'an optional argument is absent if its variable is missing': {
    query: 'query ($a: String) { missions(first: 0, after: $a) { nodes { id } } }',
    data: { missions: { nodes: [] } },
  },
  'a null reaches an argument that may be null': {
    query: 'query ($a: String = "forged") { missions(first: 0, after: $a) { nodes { id } } }',
    variables: { a: null },
    data: { missions: { nodes: [] } },
  },
  'a default value that the field refuses is refused by the field': {
    query: 'query ($a: String = "forged") { missions(first: 0, after: $a) { nodes { id } } }',
    data: { missions: null },
    errors: [[INPUT, ['missions']]],
  },
  'values of no variable are ignored': { query: '{ __typename }', variables: { a: 1 }, data: { __typename: 'Query' } },
  'one variable serves several arguments': {
    query: 'query ($i: INSEECode!) { a: commune(insee: $i) { nom } b: commune(insee: $i) { code { insee } } }',
    variables: { i: '75056' },
    data: { a: { nom: 'Paris' }, b: { code: { insee: '75056' } } },
  },
  'an integer is an identifier': {
    query: 'query ($id: ID!) { mission(id: $id) { title } }',
    variables: { id: 12 },
    data: { mission: null },
  },
  'an integer is a number with a fraction': {
    query: 'query ($r: Float) { commune(insee: "75056") { missions(radius: $r, first: 0) { nodes { id } } } }',
    variables: { r: 20 },
    data: { commune: { missions: { nodes: [] } } },
  },
  'one value is a list of one': {
    query:
      'query ($r: [MissionRemote!], $d: [String!]) { missions(first: 0, remote: $r, domain: $d) { nodes { id } } }',
    variables: { r: 'NO', d: 'sport' },
    data: { missions: { nodes: [] } },
  },
  'a variable may stand in a list and in an object': {
    query: `query ($r: MissionRemote!, $after: DateTime) {
      missions(first: 0, remote: [FULL, $r], startAt: { after: $after }) { nodes { id } } }`,
    variables: { r: 'NO' },
    data: { missions: { nodes: [] } },
  },
  'a variable in a fragment is that of the operation': {
    query: 'query ($i: INSEECode!) { ...F } fragment F on Query { commune(insee: $i) { nom } }',
    variables: { i: '75056' },
    data: { commune: { nom: 'Paris' } },
  },
  'variables may be null altogether': { query: '{ __typename }', variables: null, data: { __typename: 'Query' } },
  'a variable declared twice is refused': {
    query: 'query ($i: INSEECode!, $i: INSEECode!) { commune(insee: $i) { nom } }',
    variables: { i: '75056' },
    refused: INVALID,
  },
  'a nullable variable where no null may stand is refused': {
    query: 'query ($i: INSEECode) { commune(insee: $i) { nom } }',
    variables: { i: '75056' },
    refused: INVALID,
  },
  ...invalid({
    'a variable that nobody declared is refused': '{ commune(insee: $i) { nom } }',
    'a variable that nobody uses is refused': 'query ($i: Int) { __typename }',
    'a variable of an output type is refused': 'query ($i: Commune) { __typename @skip(if: $i) }',
    'a variable of another type than its argument is refused':
      'query ($i: Int) { missions(first: 0, after: $i) { totalCount } }',
  }),
};

/** Values that variables of these types cannot have: each is refused before any call, with all wrong ones named. */
export const REFUSED_VALUES: readonly (readonly [declared: string, use: string, values: readonly unknown[]])[] = [
  ['ID!', 'mission(id: $v) { id }', [undefined, null, 1.5, true, ['a'], {}]],
  ['String', 'missionSearch(first: 0, text: $v) { totalCount }', [1, true, ['a'], {}]],
  ['Int', 'missions(first: $v) { totalCount }', ['1', 1.5, true, 2_147_483_648, [1], {}]],
  ['Float', 'missionSearch(first: 0, lat: $v) { totalCount }', ['1.5', true, [1.5], {}]],
  ['Boolean', 'missions(first: 0, openToMinors: $v) { totalCount }', ['true', 1, [true], {}]],
  ['MissionRemote!', 'missions(first: 0, remote: [$v]) { totalCount }', ['NOWHERE', 'no', 0, true, null, ['NO']]],
  ['[MissionRemote!]', 'missions(first: 0, remote: $v) { totalCount }', [[null], ['NO', 'NOWHERE'], [['NO']], {}]],
  ['DateTimeRange', 'missions(first: 0, startAt: $v) { totalCount }', [{ since: 'x' }, 'today', 1, [{}]]],
];

const LITERALS: Readonly<Record<string, Behaviour>> = {
  'an integer is an identifier': { query: '{ mission(id: 12) { title } }', data: { mission: null } },
  'an integer is a number with a fraction': {
    query: `{ ${PARIS} { missions(radius: 20, first: 0) { nodes { id } } } }`,
    data: { commune: { missions: { nodes: [] } } },
  },
  'one value is a list of one': {
    query: '{ missions(first: 0, remote: NO, domain: "sport") { nodes { id } } }',
    data: { missions: { nodes: [] } },
  },
  'a null is an argument that is null': {
    query: '{ missions(first: 0, after: null, remote: null) { nodes { id } } }',
    data: { missions: { nodes: [] } },
  },
  'a block text and an escaped one are texts': {
    query:
      '{ a: commune(insee: """75056""") { nom } b: commune(insee: "\\u00375056") { nom } c: commune(insee: "\\u{37}5056") { nom } }',
    data: { a: { nom: 'Paris' }, b: { nom: 'Paris' }, c: { nom: 'Paris' } },
  },
  'an object without its optional fields is an object': {
    query: '{ missions(first: 0, startAt: {}) { nodes { id } } }',
    data: { missions: { nodes: [] } },
  },
  ...invalid({
    'a text is no integer': '{ missions(first: "1") { totalCount } }',
    'a fraction is no integer': '{ missions(first: 1.0) { totalCount } }',
    'an integer of more than 32 bits is none': '{ missions(first: 2147483648) { totalCount } }',
    'a text is no value of an enum': '{ missions(remote: "NO") { totalCount } }',
    'an unknown word is no value of an enum': '{ missions(remote: NOWHERE) { totalCount } }',
    'a null is no item of a list of values': '{ missions(remote: [NO, null]) { totalCount } }',
    'a word is no text': '{ mission(id: abc) { title } }',
    'an object has no unknown field': '{ missions(startAt: { since: "x" }) { totalCount } }',
    'an object has no field twice': '{ missions(startAt: { after: null, after: null }) { totalCount } }',
    'a required argument is not missing': '{ mission { title } }',
    'a required argument is not null': '{ mission(id: null) { title } }',
    'an unknown argument is refused': '{ mission(id: "a", name: "b") { title } }',
    'an argument is not given twice': '{ mission(id: "a", id: "b") { title } }',
  }),
};

const MERGING: Readonly<Record<string, Behaviour>> = {
  'fields of one key are one, with all that is selected below': {
    query: `{ ${PARIS} { code { insee } } ${PARIS} { nom code { insee } } ...F } fragment F on Query { ${PARIS} { id } }`,
    data: { commune: { code: { insee: '75056' }, nom: 'Paris', id: 'Commune:75056' } },
  },
  'lists of one key are merged item by item': {
    query: '{ sources { name } ... on Query { sources { id } } }',
    data: { sources: NAMES.map((name) => ({ name, id: name })) },
  },
  'one field under two keys has the arguments of each': {
    query: '{ paris: commune(insee: "75056") { nom } grenoble: commune(insee: "38185") { nom } }',
    data: { paris: { nom: 'Paris' }, grenoble: { nom: 'Grenoble' } },
  },
  'a key may have the name of another field': {
    query: `{ sources: ${PARIS} { id: nom nom: id } }`,
    data: { sources: { id: 'Paris', nom: 'Commune:75056' } },
  },
  'equal arguments in another order are equal': {
    query:
      '{ missions(first: 0, keywords: "a") { nodes { id } } missions(keywords: "a", first: 0) { edges { cursor } } }',
    data: { missions: { nodes: [], edges: [] } },
  },
  ...invalid({
    'two fields of one key are refused': `{ ${PARIS} { a: nom a: id } }`,
    'two arguments of one key are refused': '{ commune(insee: "75056") { nom } commune(insee: "38185") { nom } }',
    'two fields of one key deep in fragments are refused': `{ ${PARIS} { code { a: insee } } ...F } fragment F on Query { ${PARIS} { code { a: postaux } } }`,
  }),
};

const FRAGMENTS: Readonly<Record<string, Behaviour>> = {
  'a fragment may be spread in several places': {
    query: `{ a: ${PARIS} { ...F } b: commune(insee: "38185") { ...F } } fragment F on Commune { nom }`,
    data: { a: { nom: 'Paris' }, b: { nom: 'Grenoble' } },
  },
  'fragments of fragments are spread, whatever order they are defined in': {
    query: `fragment B on Commune { ...A id } fragment A on Commune { nom } { ${PARIS} { ...B } }`,
    data: { commune: { nom: 'Paris', id: 'Commune:75056' } },
  },
  'an inline fragment needs no type': {
    query: `{ ... { ${PARIS} { ... { nom } } } }`,
    data: { commune: { nom: 'Paris' } },
  },
  'a fragment on one type of an interface is for objects of that type alone': {
    query: '{ sources { ... on VolunteeringSource { id } ...W } } fragment W on WasteIdentitySource { name }',
    data: { sources: [{}, { name: 'waste-identity' }, { id: 'volunteering' }] },
  },
  'a fragment on an interface is for all of its types': {
    query:
      '{ sources { ... on WorkStudySource { ...S } } } fragment S on Source { name ... on VolunteeringSource { id } }',
    data: { sources: [{ name: 'work-study' }, {}, {}] },
  },
  'every object has a `__typename`, under any key': {
    query: `{ __typename t: __typename ${PARIS} { __typename nom: __typename } sources { __typename kind: __typename } }`,
    data: {
      __typename: 'Query',
      t: 'Query',
      commune: { __typename: 'Commune', nom: 'Commune' },
      sources: ['WorkStudySource', 'WasteIdentitySource', 'VolunteeringSource'].map((name) => ({
        __typename: name,
        kind: name,
      })),
    },
  },
  ...invalid({
    'a fragment that spreads itself is refused': `{ ${PARIS} { ...F } } fragment F on Commune { ...G } fragment G on Commune { ...F }`,
    'a fragment that nobody defined is refused': `{ ${PARIS} { ...F } }`,
    'a fragment that nobody spreads is refused': '{ __typename } fragment F on Commune { nom }',
    'two fragments of one name are refused': `{ ${PARIS} { ...F } } fragment F on Commune { nom } fragment F on Commune { id }`,
    'a fragment on a type that an object never has is refused': `{ ${PARIS} { ... on Mission { title } } }`,
    'a fragment on a value is refused': `{ ${PARIS} { nom { ... on String { length } } } }`,
    'a field that a type of an interface alone has needs a fragment': '{ sources { exportLoadedAt } }',
  }),
};

const DIRECTIVES: Readonly<Record<string, Behaviour>> = {
  'a field is there if it is included and not skipped': {
    query: `{ ${PARIS} { a: nom @include(if: true) @skip(if: false) b: nom @include(if: true) @skip(if: true)
      c: nom @include(if: false) @skip(if: false) d: nom @skip(if: true) @include(if: false) } }`,
    data: { commune: { a: 'Paris' } },
  },
  'conditions are for fragments, named or not, as for fields': {
    query: `{ ${PARIS} { ...A @skip(if: true) ...A @include(if: false) ... @include(if: true) { b: nom } ...B @skip(if: false) } }
      fragment A on Commune { a: nom } fragment B on Commune { c: nom }`,
    data: { commune: { b: 'Paris', c: 'Paris' } },
  },
  'all of the root may be skipped': { query: `{ ${PARIS} @skip(if: true) { nom } }`, data: {} },
  ...invalid({
    'an unknown directive is refused': '{ __typename @often }',
    'a directive at the wrong place is refused': 'query @skip(if: true) { __typename }',
    'a condition twice in one place is refused': '{ __typename @skip(if: true) @skip(if: false) }',
    'a condition without a flag is refused': '{ __typename @skip }',
    'a condition by a text is refused': '{ __typename @skip(if: "true") }',
  }),
};

const FIELDS: Readonly<Record<string, Behaviour>> = {
  'an error nulls its own field, under its key': {
    query: `{ here: ${PARIS} { nom } there: commune(insee: "wrong") { nom } }`,
    data: { here: { nom: 'Paris' }, there: null },
    errors: [[INPUT, ['there']]],
  },
  'an error below has the whole path, by keys': {
    query: `{ here: ${PARIS} { away: missions(first: 1, after: "forged") { totalCount } nom } }`,
    data: { here: { away: null, nom: 'Paris' } },
    errors: [[INPUT, ['here', 'away']]],
  },
  'each item of a list has its own error': {
    query: '{ communes(code: "29200") { near: missions(first: 1, after: "forged") { totalCount } } }',
    data: { communes: [{ near: null }, { near: null }] },
    errors: [
      [INPUT, ['communes', 0, 'near']],
      [INPUT, ['communes', 1, 'near']],
    ],
  },
  'a field in two places has its error once': {
    query: '{ commune(insee: "wrong") { nom } ... { commune(insee: "wrong") { id } } }',
    data: { commune: null },
    errors: [[INPUT, ['commune']]],
  },
  'what does not exist is null without an error': {
    query: '{ mission(id: "12") { title organization { id } } }',
    data: { mission: null },
  },
  'the schema stands beside data': {
    query: `{ ${PARIS} { nom } __schema { queryType { name } } type: __type(name: "Commune") { kind } nobody: __type(name: "Nobody") { name } }`,
    data: {
      commune: { nom: 'Paris' },
      __schema: { queryType: { name: 'Query' } },
      type: { kind: 'OBJECT' },
      nobody: null,
    },
  },
  ...invalid({
    'an unknown field is refused': `{ ${PARIS} { nom maire } }`,
    'an object without a selection is refused': '{ sources }',
    'a value with a selection is refused': `{ ${PARIS} { nom { length } } }`,
  }),
};

/** All of them, by what they are about. */
export const BEHAVIOURS = { OPERATIONS, VARIABLES, LITERALS, MERGING, FRAGMENTS, DIRECTIVES, FIELDS };
