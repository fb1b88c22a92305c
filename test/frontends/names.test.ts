import { readFileSync } from 'node:fs';
import { getNamedType, getNullableType, isInputObjectType, isListType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { readApi } from '../../scripts/docs/api.js';
import { isEntity } from './halves.js';

/** Guards that names which depart from those of docs/decisions/names-of-the-graph.md are its exceptions, and no others. */

const page = readFileSync(new URL('../../docs/decisions/names-of-the-graph.md', import.meta.url), 'utf8');
const namesIn = (cell = '') => [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
const [exceptions = [], lists = []] = page
  .split('\n\n')
  .filter((part) => part.startsWith('|'))
  .map((part) =>
    part
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').slice(1).map(namesIn)),
  );

/** Names that have another one in what is ours. */
const IRREGULAR =
  /^(?:lat|lon|lng|distance|q|query|keywords|words|search|(?:created|start)(?:At|After|Before)|departements?|departments|romes|romeCode|partners\w+|level|diploma|targetDiplomaLevel)$/;

const types = Object.values(readApi().getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const objects = types.filter(isObjectType);

test('arguments with other names than ours are the exceptions, and each exception is one', () => {
  const args = objects.flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) => field.args.map(({ name }) => `${field.name} ${name}`)),
  );
  const filters = types
    .filter(isInputObjectType)
    .filter(({ name }) => name.endsWith('Where'))
    .flatMap((type) => Object.keys(type.getFields()).map((name) => `where ${name}`));
  const irregular = [...args, ...filters].filter((one) => IRREGULAR.test(one.split(' ')[1] ?? ''));
  const listed = exceptions.flatMap(([names = [], of = []]) =>
    of.flatMap((field) => names.map((name) => `${field} ${name}`)),
  );
  expect([...new Set(irregular)].sort()).toEqual(listed.sort());
});

test('lists of objects with an id are in connections, say whether they are complete, or are the exceptions', () => {
  const all = objects.flatMap((type) => {
    const fields = Object.values(type.getFields()).filter(({ type: of }) => isListType(getNullableType(of)));
    return fields.map(({ name, type: of }) => ({ type, name, of: getNamedType(of), place: `${type.name}.${name}` }));
  });
  const unsaid = all.filter(
    ({ type, name, of }) =>
      isObjectType(of) && isEntity(of) && !type.name.endsWith('Connection') && !(`${name}Complete` in type.getFields()),
  );
  const listed = lists.flatMap(([names = []]) => names);
  expect(listed).toEqual(expect.arrayContaining(unsaid.map(({ place }) => place)));
  expect(all.map(({ place }) => place)).toEqual(expect.arrayContaining(listed));
});

test('mutations say in their payload what a user can mend', () => {
  const fields = Object.values(readApi().getMutationType()?.getFields() ?? {});
  expect(fields.length).toBeGreaterThan(3);
  for (const { name, type } of fields) {
    const payload = getNamedType(type);
    const said = isObjectType(payload) ? payload.getFields()['userErrors']?.type : undefined;
    expect([name, String(said)]).toEqual([name, '[UserError!]!']);
  }
});

test('descriptions cite no chapters of documents', () => {
  const sdl = readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8');
  expect(
    sdl.match(/.*(?:\b\d+\.\d+\.\d+\b|(?:work-study|volunteering|waste-identity) \d|docs\/|\.md\b).*/g),
  ).toBeNull();
});
