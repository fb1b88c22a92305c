import { readFileSync } from 'node:fs';
import {
  astFromValue,
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  print,
} from 'graphql';

/**
 * `npm run docs -- SIRET`: every field whose name, type, arguments or description contain all words of the phrase. All
 * words but one may also be in the name of the field's object, and a word may be the field's place (`Mission.title`). Each field comes with its description, the arguments
 * that match, and every field that leads to its object, the shortest way from a root field first.
 */
export function findInGraph(schema: GraphQLSchema, phrase: string): string[] {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const ways = waysTo(schema);
  return objectsOf(schema).flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) => {
      const text = [fieldText(field), ...field.args.map(argumentText)].join(' ');
      const place = `${type.name}.${field.name}`.toLowerCase();
      const isHere = (word: string) => word === place || text.includes(word);
      const inField = words.filter(isHere);
      const elsewhere = words.filter((word) => !isHere(word));
      if (inField.length === 0 || !elsewhere.every((word) => type.name.toLowerCase().includes(word))) return [];
      const leading = ways.get(type.name) ?? [];
      return [
        `${type.name}.${field.name}: ${field.type}`,
        ...(field.description ? [`  ${oneLine(field.description)}`] : []),
        ...argumentsWith(inField, field).map((arg) =>
          `  ${argumentSignature(arg)} ${oneLine(arg.description)}`.trimEnd(),
        ),
        ...(leading.length === 0 ? [] : [`  reached by ${leading.join(', ')}`]),
      ];
    }),
  );
}

/** Arguments with one of the words in their names, or in their text if the rest of the field lacks it. */
function argumentsWith(words: readonly string[], field: GraphQLField<unknown, unknown>): GraphQLArgument[] {
  const missing = words.filter((word) => !fieldText(field).includes(word));
  return field.args.filter(
    (arg) =>
      words.some((word) => arg.name.toLowerCase().includes(word)) ||
      missing.some((word) => argumentText(arg).includes(word)),
  );
}

function fieldText({ name, type, description }: GraphQLField<unknown, unknown>): string {
  return `${name} ${type} ${oneLine(description)}`.toLowerCase();
}

function argumentText({ name, type, description }: GraphQLArgument): string {
  return `${name} ${type} ${oneLine(description)}`.toLowerCase();
}

function argumentSignature(arg: GraphQLArgument): string {
  const byDefault = defaultOf(arg);
  return `argument ${arg.name}: ${arg.type}${byDefault === '' ? '' : ` = ${byDefault}`}.`;
}

/** The default of an argument or input field as SDL; empty if it has none. */
export function defaultOf({ defaultValue, type }: Pick<GraphQLArgument, 'defaultValue' | 'type'>): string {
  const node = defaultValue === undefined ? null : astFromValue(defaultValue, type);
  return node ? print(node) : '';
}

function oneLine(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}

/** For each object type, the fields that return it, those nearest to a root field first. */
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
  return buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));
}

/** The same as the last release had it. */
export function readReleased(): GraphQLSchema {
  return buildSchema(readFileSync(new URL('../../schema/released/0.1.0.graphql', import.meta.url), 'utf8'));
}
