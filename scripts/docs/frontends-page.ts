import { type GraphQLObjectType, type GraphQLSchema, isIntrospectionType, isObjectType } from 'graphql';
import { table } from './markdown.js';

const BEGIN = '<!-- derived: entities and values -->';
const END = '<!-- end of derived -->';

/** The page for frontends with its lists of entities and values as the schema has them; the rest of it is kept. */
export function frontendsPage(page: string, schema: GraphQLSchema): string {
  const [before, , after] = cut(page);
  return `${before}${BEGIN}\n\n${lists(schema)}\n\n${END}${after}`;
}

function cut(page: string): [before: string, between: string, after: string] {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/frontends.md has lost its marks: ${BEGIN} and ${END}.`);
  return [page.slice(0, begin), page.slice(begin + BEGIN.length, end), page.slice(end + END.length)];
}

function lists(schema: GraphQLSchema): string {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const types = Object.values(schema.getTypeMap())
    .filter((type): type is GraphQLObjectType => isObjectType(type) && !isIntrospectionType(type))
    .filter((type) => !roots.includes(type))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const entities = types.filter((type) => 'id' in type.getFields());
  const values = types.filter((type) => !entities.includes(type));
  const rows = entities.map((type) => {
    const { id } = type.getFields();
    return [`\`${type.name}\``, `\`${id?.type}\``, id?.description ?? ''];
  });
  return [table(['Entity', '`id`', 'What it is'], rows), code('ENTITIES', entities), code('VALUES', values)].join(
    '\n\n',
  );
}

function code(name: string, types: readonly GraphQLObjectType[]): string {
  return `\`\`\`js\nconst ${name} = [\n${types.map((type) => `  "${type.name}",\n`).join('')}];\n\`\`\``;
}
