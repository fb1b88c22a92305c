import { type GraphQLObjectType, type GraphQLSchema, isIntrospectionType, isObjectType } from 'graphql';
import { table, withDerived } from './markdown.js';

/** The page for frontends, with its lists of entities and values taken from the schema. */
export function frontendsPage(page: string, schema: GraphQLSchema): string {
  return withDerived(page, 'entities and values', lists(schema));
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
