import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  getVariableValues,
  isNonNullType,
  Kind,
  TypeInfo,
  ValidationContext,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { ResolvedOperation } from '../request/request.js';

/** Path of an argument: its name, then input fields and indexes of lists. */
type ArgumentPath = readonly (string | number)[];

/**
 * The errors of an operation's variables as clients see them, each with the path of the argument that the mistake is in;
 * empty if all are valid.
 */
export function variableErrors(resolved: ResolvedOperation): readonly GraphQLFormattedError[] {
  const mistakes = mistakesIn(resolved);
  if (mistakes.length === 0) return [];
  const uses = firstUses(resolved.document);
  return mistakes.map(({ message, nodes }) => {
    const variable = nodes?.find((node): node is VariableDefinitionNode => node.kind === Kind.VARIABLE_DEFINITION);
    const name = variable?.variable.name.value;
    const argument = name === undefined ? undefined : [...(uses.get(name) ?? [name]), ...placeIn(message, name)];
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

/** Where in the value of a variable a mistake is; the library has it in its message alone: `at "where.zips[0]"; …`. */
function placeIn(message: string, variable: string): ArgumentPath {
  const [, path = ''] = new RegExp(` at "${variable}((?:\\.\\w+|\\[\\d+\\])+)"; `).exec(message) ?? [];
  // For a field that is missing or unknown, it names the object.
  const [, field] = /; Field "(\w+)" (?:of required type|is not defined by type) /.exec(message) ?? [];
  const steps = (path.match(/\w+/g) ?? []).map((step) => (/^\d/.test(step) ? Number(step) : step));
  return field === undefined ? steps : [...steps, field];
}

/** Variable errors in one response, including the notice that there are more. */
const MAX_VARIABLE_ERRORS = 50;

/**
 * Errors of the client's variables; empty if all are valid. Checking them first, with a limit, keeps the library from
 * producing a list of errors as long as the client's input.
 */
function mistakesIn(sent: ResolvedOperation): readonly GraphQLError[] {
  const { variableDefinitions = [] } = sent.operation;
  if (variableDefinitions.length === 0) return [];
  const { errors = [] } = getVariableValues(sent.schema, variableDefinitions, sent.variables, {
    maxErrors: MAX_VARIABLE_ERRORS - 1,
  });
  return errors.length > 0 ? errors : forbiddenNulls(sent).slice(0, MAX_VARIABLE_ERRORS);
}

/**
 * Variables that are null where null is not allowed. GraphQL lets a nullable variable with a default value be used in a
 * non-null position, and each executor would report its null in a different way.
 */
function forbiddenNulls(sent: ResolvedOperation): GraphQLError[] {
  const nulls = (sent.operation.variableDefinitions ?? []).filter((definition) => isNull(definition, sent.variables));
  if (nulls.length === 0) return [];
  const context = new ValidationContext(sent.schema, sent.document, new TypeInfo(sent.schema), () => {});
  const uses = context.getRecursiveVariableUsages(sent.operation);
  return nulls.flatMap((definition) => {
    const name = definition.variable.name.value;
    const use = uses.find(({ node, type }) => node.name.value === name && isNonNullType(type));
    if (use === undefined) return [];
    return [
      new GraphQLError(`Variable "$${name}" must not be null: it is used as "${use.type}".`, { nodes: definition }),
    ];
  });
}

function isNull(
  { variable: { name }, defaultValue }: VariableDefinitionNode,
  variables: ResolvedOperation['variables'],
): boolean {
  if (Object.hasOwn(variables, name.value)) return variables[name.value] === null;
  return defaultValue?.kind === Kind.NULL;
}
