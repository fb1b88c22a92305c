import { readFileSync } from 'node:fs';
import {
  astFromValue,
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  print,
} from 'graphql';

/**
 * `npm run docs -- SIRET`: every field whose name, type, arguments or description contain all words of the phrase, then
 * members of inputs and values of enums in the same way. All words but one may also be in the name of the type, and a
 * word may be the place of what is looked for (`Mission.title`). Each field comes with its description, the arguments
 * that match, and every field that leads to its object, the shortest way from a root field first.
 */
export function findInGraph(schema: GraphQLSchema, phrase: string): string[] {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  return [...findFields(schema, words), ...findMembers(schema, words)];
}

function findFields(schema: GraphQLSchema, words: readonly string[]): string[] {
  const ways = waysTo(schema);
  return objectsOf(schema).flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) => {
      const text = [textOf(field), ...field.args.map(textOf)].join(' ');
      const inField = wordsIn(words, { type, name: field.name, text });
      if (inField.length === 0) return [];
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

function findMembers(schema: GraphQLSchema, words: readonly string[]): string[] {
  const uses = usesOf(schema);
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (isIntrospectionType(type) || !(isInputObjectType(type) || isEnumType(type))) return [];
    const members = isEnumType(type) ? type.getValues() : Object.values(type.getFields());
    return members.flatMap((member) => {
      if (wordsIn(words, { type, name: member.name, text: textOf(member) }).length === 0) return [];
      return [
        `${type.name}.${member.name}${'type' in member ? `: ${member.type}` : ''}`,
        ...(member.description ? [`  ${oneLine(member.description)}`] : []),
        `  part of ${(uses.get(type.name) ?? []).join(', ')}`,
      ];
    });
  });
}

/** The words that something of a type has itself; none if another word is in neither of them. */
function wordsIn(
  words: readonly string[],
  { type, name, text }: { readonly type: GraphQLNamedType; readonly name: string; readonly text: string },
): readonly string[] {
  const place = `${type.name}.${name}`.toLowerCase();
  const own = words.filter((word) => word === place || text.includes(word));
  return words.every((word) => own.includes(word) || type.name.toLowerCase().includes(word)) ? own : [];
}

/** Arguments with one of the words in their names, or in their text if the rest of the field lacks it. */
function argumentsWith(words: readonly string[], field: GraphQLField<unknown, unknown>): GraphQLArgument[] {
  const missing = words.filter((word) => !textOf(field).includes(word));
  return field.args.filter(
    (arg) =>
      words.some((word) => arg.name.toLowerCase().includes(word)) || missing.some((word) => textOf(arg).includes(word)),
  );
}

/** What a field, an argument, a member of an input or a value of an enum says of itself, in lower case. */
function textOf(element: Pick<GraphQLArgument, 'name' | 'description'> & { readonly type?: GraphQLType }): string {
  const { name, type = '', description } = element;
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

/** For each type, the fields, arguments and members of inputs that have it. */
function usesOf(schema: GraphQLSchema): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  const note = (place: string, { type }: { readonly type: GraphQLType }) => {
    const { name } = getNamedType(type);
    uses.set(name, [...(uses.get(name) ?? []), place]);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type))
      for (const member of Object.values(type.getFields())) note(`${type.name}.${member.name}`, member);
  }
  for (const type of objectsOf(schema)) {
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      note(place, field);
      for (const arg of field.args) note(`${place}(${arg.name}:)`, arg);
    }
  }
  return uses;
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
