import {
  type ASTNode,
  coerceInputValue,
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLInputType,
  isInputType,
  isNonNullType,
  Kind,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { ResolvedOperation } from '../request/request.js';

/** Path of an argument: its name, then input fields and indexes of lists. */
type ArgumentPath = readonly (string | number)[];

/**
 * The errors of an operation's variables as clients see them, each with the path of the argument that the mistake is in.
 * The library has that path in its message alone, so it is found again, in the order of the errors.
 */
export function variableErrors(
  resolved: ResolvedOperation,
  errors: readonly GraphQLError[],
): readonly GraphQLFormattedError[] {
  const uses = firstUses(resolved.document);
  const paths = pathsOfMistakes(resolved, uses, errors.length);
  return errors.map(({ message, nodes }, index) => {
    const variable = nodes?.find((node): node is VariableDefinitionNode => node.kind === Kind.VARIABLE_DEFINITION);
    const argument = variable && (paths[index] ?? uses.get(variable.variable.name.value));
    const extensions = { code: 'BAD_USER_INPUT', ...(argument !== undefined && { argument }) };
    return new GraphQLError(message, { nodes: nodes ?? null, extensions }).toJSON();
  });
}

/** The path of the argument in which each variable is first used. */
function firstUses(document: DocumentNode): ReadonlyMap<string, ArgumentPath> {
  const uses = new Map<string, ArgumentPath>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: (...[{ name }, _key, parent, _path, ancestors]) => {
      if (!uses.has(name.value)) uses.set(name.value, stepsOf([...ancestors, ...(parent ? [parent] : [])]));
    },
  });
  return uses;
}

function stepsOf(ancestors: readonly (ASTNode | readonly ASTNode[])[]): string[] {
  return ancestors.flatMap((node) =>
    'kind' in node && (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) ? [node.name.value] : [],
  );
}

/** The paths of the first mistakes, in the order in which the library finds them. */
function pathsOfMistakes(
  { schema, operation, variables }: ResolvedOperation,
  uses: ReadonlyMap<string, ArgumentPath>,
  most: number,
): readonly ArgumentPath[] {
  const paths: ArgumentPath[] = [];
  for (const { variable, type: written, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const start = uses.get(name) ?? [name];
    const type = typeFromAST(schema, written);
    const isGiven = Object.hasOwn(variables, name);
    if (!isInputType(type) || (!isGiven && (defaultValue !== undefined || !isNonNullType(type)))) continue;
    if (isNonNullType(type) && (variables[name] ?? null) === null) paths.push(start);
    else for (const path of pathsWithin(variables[name], type, most - paths.length)) paths.push([...start, ...path]);
    if (paths.length >= most) break;
  }
  return paths;
}

/** Bounded, because a client's input may have as many mistakes as values. */
function pathsWithin(value: unknown, type: GraphQLInputType, most: number): readonly ArgumentPath[] {
  const paths: ArgumentPath[] = [];
  const enough = new Error('The first mistakes were found.');
  try {
    coerceInputValue(value, type, (path, _value, { message }) => {
      // For a field that is missing or unknown, the library gives the path of the object.
      const [, field] = /^Field "(\w+)" (?:of required type|is not defined by type) /.exec(message) ?? [];
      paths.push(field === undefined ? path : [...path, field]);
      if (paths.length >= most) throw enough;
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return paths;
}
