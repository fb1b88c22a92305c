import {
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type ListValueNode,
  type ObjectValueNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { mergeFields } from '../graph/merged-fields.js';

/**
 * How large one operation may be, its fragments written out and equal fields merged. The queries that the graph is
 * for (three joins deep, all fields of a mission) stay well below; what is above costs more to plan than any answer is
 * worth.
 */
export const LIMITS = {
  /** Fields within fields; introspection does not count, its own nesting is bounded by the schema. */
  depth: 15,
  /** Fields of the root: each is a search of its own, and each search is a call. */
  rootFields: 30,
  aliases: 100,
  fields: 5_000,
  /** Fields and fragments as they are written, before equal fields are merged. */
  selections: 20_000,
  /** Words and signs that the parser reads before it gives up: ten bytes for each in the largest document. */
  tokens: 10_000,
  /** Lists and objects within each other in one value. The planner's work doubles with each list around another. */
  valueDepth: 8,
} as const;

/** Refuses a value that is written too deep. Variables are values of their own: the planner does not look into them. */
export const valueLimits: ValidationRule = (context: ValidationContext) => {
  let depth = 0;
  const level = {
    enter(node: ListValueNode | ObjectValueNode) {
      depth += 1;
      if (depth !== LIMITS.valueDepth + 1) return;
      const message = `A value is more than ${LIMITS.valueDepth} lists and objects deep. Send it as a variable.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
    leave() {
      depth -= 1;
    },
  };
  return { ListValue: level, ObjectValue: level };
};

/**
 * Refuses a document with an operation beyond the limits. Its verdict is stored with the document's validation, and
 * comes after what makes the document no document, such as a fragment that spreads itself.
 */
export const operationLimits: ValidationRule = (context: ValidationContext) => ({
  Document: {
    leave({ definitions }) {
      for (const definition of definitions) {
        if (definition.kind === Kind.OPERATION_DEFINITION) checkSize(definition, context);
      }
    },
  },
});

function checkSize(operation: OperationDefinitionNode, context: ValidationContext): void {
  const size = measure(operation, context);
  const what = operation.name === undefined ? 'This operation' : `The operation "${operation.name.value}"`;
  for (const [limit, words] of [
    ['depth', 'levels deep'],
    ['rootFields', 'root fields wide'],
    ['aliases', 'aliases long'],
    ['fields', 'fields long'],
    ['selections', 'selections long'],
  ] as const) {
    if (size[limit] <= LIMITS[limit]) continue;
    const atLeast = size.isWhole ? '' : 'at least ';
    const message = `${what} is ${atLeast}${size[limit]} ${words}; at most ${LIMITS[limit]} are allowed.`;
    context.reportError(new GraphQLError(message, { nodes: operation }));
  }
}

interface Size {
  depth: number;
  rootFields: number;
  aliases: number;
  fields: number;
  selections: number;
  /** False when the operation was so large that the measuring was given up. */
  isWhole: boolean;
}

/** Fields within fields, introspection included, below which the walk ends: a fragment may spread itself. */
const DEEPEST_LOOK = 200;

function measure(operation: OperationDefinitionNode, context: ValidationContext): Size {
  const size: Size = { depth: 0, rootFields: 0, aliases: 0, fields: 0, selections: 0, isWhole: true };
  const schema = context.getSchema();
  const findFragment = (name: string) => context.getFragment(name);
  const countSelection = () => {
    size.selections += 1;
  };

  function measureFields(sets: readonly SelectionSetNode[], type: string, depth: number, level: number): void {
    for (const { node, parent, sets: below } of mergeFields(sets, type, findFragment, countSelection)) {
      if (!size.isWhole) return;
      size.depth = Math.max(size.depth, depth);
      if (level === 0) size.rootFields += 1;
      size.fields += 1;
      if (node.alias !== undefined) size.aliases += 1;
      size.isWhole = size.fields <= LIMITS.fields && size.selections <= LIMITS.selections && level <= DEEPEST_LOOK;
      const isIntrospection = node.name.value === '__schema' || node.name.value === '__type';
      const depthBelow = isIntrospection ? Number.NEGATIVE_INFINITY : depth + 1;
      measureFields(below, fieldType(schema, parent, node.name.value), depthBelow, level + 1);
    }
  }

  measureFields([operation.selectionSet], schema.getRootType(operation.operation)?.name ?? '', 1, 0);
  return size;
}

/** The type of a field without lists and `!`; no name for a field that the schema does not have. */
function fieldType(schema: GraphQLSchema, parent: string, name: string): string {
  const type = schema.getType(parent);
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  return field === undefined ? '' : getNamedType(field.type).name;
}
