import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';

/** A field that fits the words, with the ways to it from the root. */
export interface FoundField {
  readonly type: string;
  readonly field: string;
  readonly returns: string;
  readonly description: string;
  /** Every way that passes no type twice, such as `viewer.companies.siret`, shortest first. */
  readonly paths: readonly string[];
}

/** A way to each object of the graph: one for a field that leads to it; `sources(WorkStudySource)` narrows to one kind. */
export type Ways = ReadonlyMap<string, readonly string[]>;

type Fields = GraphQLObjectType | GraphQLInterfaceType;

/**
 * Every field whose name, type, arguments or description holds the word. Those that fit by name or type come first, and
 * of them those with the shortest way. `ways` are those of `waysToTypes(schema)`.
 */
export function findFields(schema: GraphQLSchema, ways: Ways, word: string): FoundField[] {
  const wanted = word.trim().toLowerCase();
  if (wanted === '') return [];
  const found: (FoundField & { rank: number })[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if ((!isObjectType(type) && !isInterfaceType(type)) || type.name.startsWith('__')) continue;
    for (const field of ownFields(type)) {
      const rank = texts(field).findIndex((text) => text.toLowerCase().includes(wanted));
      const paths = (ways.get(type.name) ?? []).map((way) => (way === '' ? field.name : `${way}.${field.name}`));
      if (rank < 0 || paths.length === 0) continue;
      const { name, description } = field;
      found.push({
        type: type.name,
        field: name,
        returns: String(field.type),
        description: description ?? '',
        paths,
        rank,
      });
    }
  }
  return found.sort((one, other) => one.rank - other.rank || steps(one.paths[0]) - steps(other.paths[0]));
}

/** What is looked through, what tells most first. */
function texts({ name, type, args, description }: GraphQLField<unknown, unknown>): string[] {
  const taken = args.map((arg) => `${arg.name} ${arg.type} ${arg.description ?? ''}`);
  return [name, String(type), taken.join(' '), description ?? ''];
}

/** The fields of a type but those of its interfaces, which are found there. */
function ownFields(type: Fields): GraphQLField<unknown, unknown>[] {
  const inherited = new Set(type.getInterfaces().flatMap((one) => Object.keys(one.getFields())));
  return Object.values(type.getFields()).filter(({ name }) => !inherited.has(name));
}

/** What ways that change something begin with. */
export const MUTATION = 'mutation';

/** All ways from the roots to each type that pass no type twice, shortest first: some twenty thousand, in 0.2 s. */
export function waysToTypes(schema: GraphQLSchema): Ways {
  const ways = new Map<string, string[]>();
  const passed = new Set<string>();
  const arrive = (name: string, way: string): void => {
    const type = schema.getType(name);
    if (passed.has(name)) return;
    passed.add(name);
    if (isObjectType(type) || isInterfaceType(type)) {
      const known = ways.get(name);
      if (known === undefined) ways.set(name, [way]);
      else known.push(way);
      for (const field of Object.values(type.getFields())) {
        // `edges { node }` leads where `nodes` does.
        if (field.name !== 'edges')
          arrive(getNamedType(field.type).name, way === '' ? field.name : `${way}.${field.name}`);
      }
    }
    if (isInterfaceType(type) || isUnionType(type)) {
      for (const kind of schema.getPossibleTypes(type)) arrive(kind.name, `${way}(${kind.name})`);
    }
    passed.delete(name);
  };
  arrive(schema.getQueryType()?.name ?? '', '');
  arrive(schema.getMutationType()?.name ?? '', MUTATION);
  for (const known of ways.values()) known.sort((one, other) => steps(one) - steps(other));
  return ways;
}

function steps(way = ''): number {
  return way.split('.').length;
}
