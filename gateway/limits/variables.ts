import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLFormattedError,
  getVariableValues,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { fragmentsOf } from '../../kernel/selections.js';
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
  const places = placesWithoutNull(sent);
  return nulls.flatMap((definition) => {
    const name = definition.variable.name.value;
    const place = places.get(name);
    if (place === undefined) return [];
    return [new GraphQLError(`Variable "$${name}" must not be null: ${place}.`, { nodes: definition })];
  });
}

function isNull(
  { variable: { name }, defaultValue }: VariableDefinitionNode,
  variables: ResolvedOperation['variables'],
): boolean {
  if (Object.hasOwn(variables, name.value)) return variables[name.value] === null;
  return defaultValue?.kind === Kind.NULL;
}

/** For each variable used where null is not allowed, one such place. */
type Places = ReadonlyMap<string, string>;

const found = new WeakMap<OperationDefinitionNode, Places>();

/** Found once per document. */
function placesWithoutNull(sent: ResolvedOperation): Places {
  const places = found.get(sent.operation) ?? findPlaces(sent);
  found.set(sent.operation, places);
  return places;
}

function findPlaces({ schema, document, operation }: ResolvedOperation): Places {
  const fragments = fragmentsOf(document);
  const places = new Map<string, string>();
  const spread = new Set<string>();
  const read = (definition: OperationDefinitionNode | FragmentDefinitionNode) => {
    const types = new TypeInfo(schema);
    const typed = visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Variable({ name }, _key, parent) {
        if (isNonNullType(types.getInputType())) places.set(name.value, placeOf(types, parent));
      },
      FragmentSpread: ({ name }) => void spread.add(name.value),
    });
    visit(definition, typed);
  };
  read(operation);
  // Iterating over a set also visits items that are added meanwhile.
  for (const name of spread) {
    const fragment = fragments.get(name);
    if (fragment !== undefined) read(fragment);
  }
  return places;
}

/** Describes where a variable is used: as an argument's value, or somewhere within it. */
function placeOf(types: TypeInfo, parent: Parent): string {
  const directive = types.getDirective();
  const owner = directive ? `@${directive.name}` : `field "${types.getFieldDef()?.name}"`;
  const isWhole = parent !== undefined && 'kind' in parent && parent.kind === Kind.ARGUMENT;
  const value = `${isWhole ? '' : 'a value in '}argument "${types.getArgument()?.name}"`;
  return `${value} of ${owner} has the type "${types.getInputType()}"`;
}

type Parent = ASTNode | readonly ASTNode[] | undefined;
