import { type GraphQLSchema, getNamedType, isInterfaceType, isObjectType } from 'graphql';

/** A field that fits the words, with the ways to it from the root. */
export interface FoundField {
  readonly type: string;
  readonly field: string;
  readonly returns: string;
  readonly description: string;
  /** Such as `viewer.companies.siret`, shortest first. */
  readonly paths: readonly string[];
}

/** Ways kept for each type, and the longest of them. */
const WAYS = 12;
const DEPTH = 6;

/**
 * Every field whose name, type or description holds the word, with the ways to it that pass no type twice. Fields that
 * fit by name or type come first.
 */
export function findFields(schema: GraphQLSchema, word: string): FoundField[] {
  const wanted = word.trim().toLowerCase();
  if (wanted === '') return [];
  const ways = waysToTypes(schema);
  const found: (FoundField & { rank: number })[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if ((!isObjectType(type) && !isInterfaceType(type)) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const returns = String(field.type);
      const description = field.description ?? '';
      const rank = [field.name, returns, description].findIndex((text) => text.toLowerCase().includes(wanted));
      const paths = (ways.get(type.name) ?? []).map((way) => [...way, field.name].join('.'));
      if (rank >= 0 && paths.length > 0) {
        found.push({ type: type.name, field: field.name, returns, description, paths, rank });
      }
    }
  }
  return found.sort((one, other) => one.rank - other.rank || length(one) - length(other));
}

function length({ paths }: FoundField): number {
  return paths[0]?.split('.').length ?? 0;
}

/** Ways from the query root to each type, shortest first, found breadth first. */
function waysToTypes(schema: GraphQLSchema): Map<string, string[][]> {
  const root = schema.getQueryType();
  const ways = new Map<string, string[][]>();
  if (!root) return ways;
  let edge: { type: string; way: string[]; passed: ReadonlySet<string> }[] = [
    { type: root.name, way: [], passed: new Set([root.name]) },
  ];
  ways.set(root.name, [[]]);
  for (let depth = 0; depth < DEPTH && edge.length > 0; depth += 1) {
    const next: typeof edge = [];
    for (const { type, way, passed } of edge) {
      const object = schema.getType(type);
      if (!isObjectType(object) && !isInterfaceType(object)) continue;
      for (const field of Object.values(object.getFields())) {
        const { name } = getNamedType(field.type);
        const known = ways.get(name) ?? [];
        // `edges { node }` leads where `nodes` does.
        if (passed.has(name) || known.length >= WAYS || field.name === 'edges') continue;
        const longer = [...way, field.name];
        ways.set(name, [...known, longer]);
        next.push({ type: name, way: longer, passed: new Set([...passed, name]) });
      }
    }
    edge = next;
  }
  return ways;
}
