import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';

/**
 * `npm run docs -- SIRET`: every field whose name, type, arguments or description has the word, what it says, and every
 * field that leads to its object, with the shortest way from a root field first.
 */
export function findInGraph(schema: GraphQLSchema, word: string): string[] {
  const wanted = word.toLowerCase();
  const ways = waysTo(schema);
  return objectsOf(schema).flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) => {
      const args = field.args.map(({ name, type: of, description }) => `${name} ${of} ${description ?? ''}`);
      const text = [field.name, String(field.type), field.description ?? '', ...args].join(' ').toLowerCase();
      if (!text.includes(wanted)) return [];
      const leading = ways.get(type.name) ?? [];
      const through = leading.length === 0 ? [] : [`  reached by ${leading.join(', ')}`];
      return [`${type.name}.${field.name}: ${field.type}`, `  ${field.description ?? ''}`, ...through];
    }),
  );
}

/** For each object type the fields that return it, those nearest to a root field first. */
function waysTo(schema: GraphQLSchema): Map<string, string[]> {
  const ways = new Map<string, string[]>();
  const queue = [schema.getQueryType(), schema.getMutationType()].filter((type) => type !== null && type !== undefined);
  const seen = new Set(queue.map(({ name }) => name));
  for (let type = queue.shift(); type !== undefined; type = queue.shift()) {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type);
      if (!isObjectType(next)) continue;
      ways.set(next.name, [...(ways.get(next.name) ?? []), `${type.name}.${field.name}`]);
      if (seen.has(next.name)) continue;
      seen.add(next.name);
      queue.push(next);
    }
  }
  return ways;
}

function objectsOf(schema: GraphQLSchema): GraphQLObjectType[] {
  return Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  );
}

/** The graph that clients see. */
export function readApi(): GraphQLSchema {
  return buildSchema(readFileSync(new URL('api.graphql', import.meta.url), 'utf8'));
}
