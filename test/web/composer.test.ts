import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLArgument, isObjectType, parse, print, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readDraft, selectionAt, toggleArgument, toggleField } from '../../analyst/page/composer/edit-query.js';
import { fieldSearchOf } from '../../analyst/page/composer/find-fields.js';
import { ROOTS } from '../../analyst/page/composer/roots.js';
import { fieldsOf, type Path } from '../../analyst/page/composer/tree.js';

const read = (file: string): string => readFileSync(new URL(`../../schema/${file}`, import.meta.url), 'utf8');
const schema = buildSchema(read('api.graphql'));

/** A query as it is ticked, one path after the other; arguments are written `missions(radius)`. */
function ticked(query: string, ...paths: readonly string[]) {
  let text = query;
  let dropped: readonly string[] = [];
  for (const written of paths) {
    const [, path = '', name] = /^([^()]+)(?:\((\w+)\))?$/.exec(written) ?? [];
    const steps = path.split('/');
    const draft = readDraft(text, null);
    if (draft === null) throw new Error(`This is no query: ${text}`);
    const edited =
      name === undefined
        ? toggleField(draft, schema, steps)
        : toggleArgument(draft, schema, steps, argumentOf(steps, name));
    ({ query: text, dropped } = edited);
  }
  return { text, dropped };
}

function argumentOf(path: Path, name: string): GraphQLArgument {
  const types = path.length === 1 ? [schema.getQueryType()] : Object.values(schema.getTypeMap()).filter(isObjectType);
  const field = types.map((type) => fieldsOf(type ?? undefined)[path.at(-1) ?? '']).find((one) => one !== undefined);
  const found = field?.args.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No such argument: ${name}`);
  return found;
}

/** A query in one form. */
const plain = (text: string): string => print(parse(text));
const mistakes = (text: string): string[] => validate(schema, parse(text)).map(({ message }) => message);

describe('A composed query', () => {
  test('begins with nothing; a required argument is a variable, a list has its pages, count and a name of its rows', () => {
    const { text } = ticked('', 'commune', 'commune/missions', 'commune/missions/edges/distance');
    expect(plain(text)).toBe(
      plain(`query Commune($insee: INSEECode!) { commune(insee: $insee) { nom missions {
        totalCount pageInfo { hasNextPage endCursor } edges { node { title } distance } } } }`),
    );
    expect(mistakes(text)).toEqual([]);
  });

  test('gives arguments of one name variables of their own, with no value preset', () => {
    const { text } = ticked('', 'missions(department)', 'organizations(department)', 'missions(openToMinors)');
    expect(text).toMatch(
      /\$department: \[String!\], \$organizationsDepartment: \[String!\], \$openToMinors: Boolean\)/,
    );
    expect(text).not.toMatch(/false|null|= /);
    expect(mistakes(text)).toEqual([]);
  });

  test('declares what has a default in the schema so that it keeps that default', () => {
    const { text } = ticked('', 'exportedOffers(includeExpired)', 'exportedOffers(duplicates)');
    expect(mistakes(text)).toEqual([]);
    expect(text).not.toContain('=');
  });

  test('loses what is unticked, and variables that nothing uses any more, but not those of a fragment', () => {
    const query = `# Mine, and it stays.
fragment Rows on MissionConnection { nodes { city } }

query Q($insee: INSEECode!, $radius: Float = 5, $n: Int) {
  here: commune(insee: $insee) { nom missions(radius: $radius) { totalCount } }
  missions(first: $n) { ...Rows }
}
# The end.`;
    const { text, dropped } = ticked(query, 'commune');
    expect(dropped).toEqual(['insee', 'radius']);
    expect(text).toBe(`# Mine, and it stays.
fragment Rows on MissionConnection { nodes { city } }

query Q($n: Int) {
  missions(first: $n) {
    ...Rows
  }
}
# The end.`);
    expect(ticked(text, 'missions').text).toContain('# The end.');
    expect(ticked(text, 'missions').text).not.toContain('query');
  });

  test('reads rows as the query writes them, by nodes or by edges', () => {
    for (const rows of ['nodes { title }', 'edges { node { title } }']) {
      const draft = readDraft(`{ missions { ${rows} } }`, null);
      expect(draft && selectionAt(draft, schema, ['missions', 'nodes', 'title']), rows).toBeDefined();
      const { text } = ticked(`{ missions { ${rows} } }`, 'missions/nodes/city');
      expect(plain(text)).toBe(plain(`{ missions { ${rows.replace('title', 'title city')} } }`));
    }
  });

  test('selects of one kind alone what only it has, and begins with what changes something too', () => {
    expect(plain(ticked('', 'sources/...WorkStudySource/exportLoadedAt').text)).toBe(
      plain('query Sources { sources { ... on WorkStudySource { exportLoadedAt } } }'),
    );
    const { text } = ticked('', 'createJobOffer');
    expect(text).toMatch(/^mutation CreateJobOffer\(\$input: JobOfferInput!\)/);
    expect(mistakes(text)).toEqual([]);
  });

  test('is valid whatever it begins with', () => {
    for (const name of Object.keys(ROOTS)) expect(mistakes(ticked('', name).text), name).toEqual([]);
  });

  test('is none while the text has a mistake, and empty where it has comments alone', () => {
    expect(readDraft('{ a', null)).toBeNull();
    expect(ticked('# Only this.', 'departements').text).toMatch(/^# Only this\.\nquery Departements \{/);
  });
});

test('All that a query may begin with is named, with the service that has it', () => {
  const supergraph = buildSchema(read('supergraph.graphql'), { assumeValid: true }).getQueryType();
  const owned = Object.values(supergraph?.getFields() ?? {}).flatMap(({ name, astNode }) => {
    const [, graph = ''] = /join__field\(graph: (\w+)/.exec(astNode ? print(astNode) : '') ?? [];
    return name in fieldsOf(schema.getQueryType() ?? undefined) ? [[name, graph.toLowerCase().replace('_', '-')]] : [];
  });
  const named = Object.entries(ROOTS).map(([name, { service }]) => [name, service]);
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(owned));
});

describe('A search of fields', () => {
  const search = fieldSearchOf(schema);
  const first = (text: string) =>
    search(text)
      .slice(0, 3)
      .map(({ id }) => id);

  test.each([
    ['SIRET', 'Organization.siret'],
    ['code postal', 'Mission.postalCode'],
    ['postal code', 'Mission.postalCode'],
    ['ouverte aux mineurs', 'Mission.openToMinors'],
    ['open to minors', 'Mission.openToMinors'],
    ['diplômes', 'Query.certifications'],
    ['exportLoadedAt', 'WorkStudySource.exportLoadedAt'],
    ['cacheHitRate', 'Source.cacheHitRate'],
    ['createJobOffer', 'Mutation.createJobOffer'],
  ])('finds %s in either language, by label, name or sentence', (text, id) => {
    expect(first(text)).toContain(id);
  });

  test('knows every path, the shortest first, each of which can be ticked', () => {
    const found = search('SIRET').find(({ id }) => id === 'Organization.siret');
    const paths = (found?.holders ?? []).map((path) => [...path, 'siret']);
    expect(paths.map((path) => path.join('.'))).toEqual(
      expect.arrayContaining(['organization.siret', 'missions.nodes.organization.siret']),
    );
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.map(({ length }) => length)).toEqual(
      paths.map(({ length }) => length).sort((one, other) => one - other),
    );
    // Every tenth, because checking hundreds takes too long.
    for (const path of paths.filter((_, index) => index % 10 === 0)) {
      expect(mistakes(ticked('', path.join('/')).text), path.join('.')).toEqual([]);
    }
    expect(search(' ')).toEqual([]);
  });
});
