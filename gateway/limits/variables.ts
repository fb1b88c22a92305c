import {
  GraphQLError,
  type GraphQLInputType,
  getVariableValues,
  isNonNullType,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  TypeInfo,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { documentOf, type ValidOperation } from '../request/request.js';

/** Values of variables by their names. */
type Values = Readonly<Record<string, unknown>>;

/** Variable errors in one response, including the notice that there are more. */
const MAX_ERRORS = 50;

/**
 * Reads the variables of an operation: their values as resolvers get them, with defaults, and the mistakes of whoever sent
 * them, each with the path of the argument that it is in. To read them before the operation is executed, with a limit,
 * keeps the library from producing a list of errors as long as the client's input.
 */
export function coerceVariables(
  of: ValidOperation,
  sent: Values,
): { readonly values: Values; readonly errors: readonly GraphQLError[] } {
  const definitions = of.operation.variableDefinitions ?? [];
  const { coerced = {}, errors } = getVariableValues(of.schema, definitions, sent, { maxErrors: MAX_ERRORS - 1 });
  const mistakes = errors ?? definitions.flatMap((one) => forbiddenNull(one, coerced, of));
  return {
    // Without a prototype, since a variable may be called `toString`.
    values: { __proto__: null, ...coerced },
    errors: mistakes.slice(0, MAX_ERRORS).map((mistake) => withArgument(mistake, usesOf(of))),
  };
}

/**
 * The error of a variable that is null where null is not allowed. GraphQL lets a nullable variable with a default value
 * be used in a non-null position, and each executor would report its null in a different way.
 */
function forbiddenNull(definition: VariableDefinitionNode, values: Values, of: ValidOperation): GraphQLError[] {
  const name = definition.variable.name.value;
  if (values[name] !== null) return [];
  const use = usesOf(of).find(({ variable, type }) => variable === name && isNonNullType(type));
  const message = `Variable "$${name}" must not be null: it is used as "${use?.type}".`;
  return use === undefined ? [] : [new GraphQLError(message, { nodes: definition })];
}

/** Where an operation uses a variable. */
interface VariableUse {
  readonly variable: string;
  readonly type: GraphQLInputType | null | undefined;
  /** The path of an argument: its name, then input fields. */
  readonly argument: readonly string[];
}

const usesKnown = new WeakMap<OperationDefinitionNode, readonly VariableUse[]>();

/** The uses of its variables; found once for each document, as filters that are not set are sent as null. */
function usesOf(of: ValidOperation): readonly VariableUse[] {
  const known = usesKnown.get(of.operation);
  if (known !== undefined) return known;
  const uses: VariableUse[] = [];
  const types = new TypeInfo(of.schema);
  const path: string[] = [];
  const step = {
    enter: ({ name }: { readonly name: NameNode }) => void path.push(name.value),
    leave: () => void path.pop(),
  };
  const finder = visitWithTypeInfo(types, {
    ...{ VariableDefinition: () => false, Argument: step, ObjectField: step },
    Variable({ name }) {
      uses.push({ variable: name.value, type: types.getInputType(), argument: [...path] });
    },
  });
  visit(documentOf(of), finder);
  usesKnown.set(of.operation, uses);
  return uses;
}

/** The mistake as clients see it, with the path of the argument in which its variable is first used. */
function withArgument({ message, nodes }: GraphQLError, uses: readonly VariableUse[]): GraphQLError {
  const definition = nodes?.find((node): node is VariableDefinitionNode => node.kind === Kind.VARIABLE_DEFINITION);
  const name = definition?.variable.name.value;
  const use = uses.find(({ variable }) => variable === name);
  const argument = name && [...(use?.argument ?? [name]), ...placeIn(message, name)];
  return new GraphQLError(message, { nodes: nodes ?? null, extensions: { code: 'BAD_USER_INPUT', argument } });
}

/** Where in the value of a variable a mistake is; the library has it in its message alone: `at "where.zips[0]"; …`. */
function placeIn(message: string, variable: string): (string | number)[] {
  const [, path = ''] = new RegExp(` at "${variable}((?:\\.\\w+|\\[\\d+\\])+)"; `).exec(message) ?? [];
  // For a field that is missing or unknown, it names the object.
  const [, field] = /; Field "(\w+)" (?:of required type|is not defined by type) /.exec(message) ?? [];
  const steps = (path.match(/\w+/g) ?? []).map((step) => (/^\d/.test(step) ? Number(step) : step));
  return field === undefined ? steps : [...steps, field];
}
