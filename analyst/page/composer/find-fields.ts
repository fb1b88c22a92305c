import { type GraphQLField, type GraphQLNamedType, type GraphQLSchema, getNamedType, isAbstractType } from 'graphql';
import { ownValue } from '../../../kernel/text.js';
import { indexOf } from '../elements/words.js';
import { inWords } from '../labels/labels.js';
import labels from '../labels/labels.json' with { type: 'json' };
import { memoized } from '../state/store.js';
import { FRENCH } from './labels.js';
import { ROOTS } from './roots.js';
import { fieldsOf, type Path } from './tree.js';

/** A field that a search found, with the paths to it from the root. */
export interface FoundField {
  /** Such as `Organization.siret`. */
  readonly id: string;
  readonly field: GraphQLField<unknown, unknown>;
  /** Every path to its type that visits no type twice, shortest first. */
  readonly holders: readonly Path[];
}

/** Finds fields by words of their labels in both languages, names, types, arguments and descriptions, best first. */
export type FieldSearch = (text: string) => readonly FoundField[];

/** What a word counts for, by where a field has it. */
const BOOST = { name: 4, label: 4, type: 2, about: 0.5 };

/** The search of a schema's fields. To index them, about 700 with twenty thousand paths, takes half a second. */
export const fieldSearchOf = memoized((schema: GraphQLSchema): FieldSearch => {
  const found = reachableFields(schema);
  const documents = [...found.values()].map(({ id, field }) => {
    const [type = ''] = id.split('.');
    const root = type === schema.getQueryType()?.name ? ownValue(ROOTS, field.name) : undefined;
    const { fr = ownValue(FRENCH, field.name), en = '' } = root ?? ownValue(LABELS, field.name) ?? {};
    const args = field.args.map(({ name, description }) => `${inWords(name)} ${description ?? ''}`);
    return {
      id,
      label: `${fr ?? ''} ${en}`,
      name: `${field.name} ${inWords(field.name)}`,
      type: `${inWords(type)} ${getNamedType(field.type).name}`,
      about: [field.description ?? '', root?.aboutFr ?? '', ...args].join(' '),
    };
  });
  const index = indexOf(documents, { fields: ['label', 'name', 'type', 'about'] });
  const nearness = (id: string): number => 1 / Math.sqrt(1 + (found.get(id)?.holders[0]?.length ?? 0));
  const search = (text: string, combineWith: 'AND' | 'OR') =>
    index.search(text, { boost: BOOST, boostDocument: (id) => nearness(String(id)), combineWith });
  return (text) => {
    const all = search(text, 'AND');
    return (all.length > 0 ? all : search(text, 'OR')).flatMap(({ id }) => found.get(String(id)) ?? []);
  };
});

const LABELS: Readonly<Record<string, { readonly fr: string; readonly en: string }>> = labels.fields;

/** The fields that can be selected, those of interfaces once. */
function reachableFields(schema: GraphQLSchema): ReadonlyMap<string, FoundField> {
  const found = new Map<string, FoundField>();
  for (const [name, paths] of pathsToTypes(schema)) {
    const fields = fieldsOf(schema.getType(name));
    const inherited = new Set(interfacesOf(schema, name).flatMap((one) => Object.keys(fieldsOf(one))));
    for (const field of Object.values(fields)) {
      if (inherited.has(field.name) || HOLDERS.has(field.name)) continue;
      const id = `${name}.${field.name}`;
      found.set(id, { id, field, holders: paths });
    }
  }
  return found;
}

function interfacesOf(schema: GraphQLSchema, name: string): readonly GraphQLNamedType[] {
  const type = schema.getType(name);
  return type !== undefined && 'getInterfaces' in type ? type.getInterfaces() : [];
}

/** Fields that no one looks for: the composer selects them by itself. */
const HOLDERS = new Set(['edges', 'node', 'nodes', 'cursor', 'pageInfo']);

/** All paths from the roots to each type that visit no type twice, shortest first. */
function pathsToTypes(schema: GraphQLSchema): ReadonlyMap<string, readonly Path[]> {
  // By number of steps, so that twenty thousand need no sorting.
  const paths = new Map<string, Path[][]>();
  const visited = new Set<string>();
  const visit = (type: GraphQLNamedType | undefined, path: Path): void => {
    if (type === undefined || visited.has(type.name)) return;
    visited.add(type.name);
    const fields = fieldsOf(type);
    if (Object.keys(fields).length > 0) {
      const known = paths.get(type.name) ?? [];
      const asLong = known[path.length];
      if (asLong === undefined) known[path.length] = [path];
      else asLong.push(path);
      paths.set(type.name, known);
    }
    for (const field of Object.values(fields)) {
      // `edges { node }` leads to the same type as `nodes`; what else an edge has is found by that name.
      if (field.name === 'node' && fields['cursor'] !== undefined) continue;
      visit(getNamedType(field.type), [...path, field.name]);
    }
    const kinds = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
    for (const kind of kinds) visit(kind, [...path, `...${kind.name}`]);
    visited.delete(type.name);
  };
  visit(schema.getQueryType() ?? undefined, []);
  visit(schema.getMutationType() ?? undefined, []);
  return new Map([...paths].map(([name, known]) => [name, known.flat()]));
}
