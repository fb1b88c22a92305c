import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type ListValueNode,
  type ObjectValueNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/**
 * How large one operation may be, its fragments written out. The questions that the graph is for (three joins deep, all
 * fields of a mission) stay well below; what is above costs more to plan than any answer is worth.
 */
export const LIMITS = {
  /** Fields within fields; introspection does not count, its own nesting is bounded by the schema. */
  depth: 15,
  /** Fields of the root: each is a search of its own, and each search is a call. */
  rootFields: 30,
  aliases: 100,
  fields: 5_000,
  /** Words and signs that the parser reads before it gives up. */
  tokens: 20_000,
  /** Lists and objects within each other in one value. The planner's work doubles with each list around another. */
  valueDepth: 8,
} as const;

interface Size {
  readonly depth: number;
  readonly rootFields: number;
  readonly aliases: number;
  readonly fields: number;
}

const NOTHING: Size = { depth: 0, rootFields: 0, aliases: 0, fields: 0 };

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

/** Refuses a document with an operation beyond the limits. Its verdict is kept with the document's validation. */
export const operationLimits: ValidationRule = (context: ValidationContext) => ({
  OperationDefinition(operation) {
    const size = measure(operation, context);
    const what = operation.name === undefined ? 'This operation' : `The operation "${operation.name.value}"`;
    for (const [limit, words] of [
      ['depth', 'levels deep'],
      ['rootFields', 'root fields wide'],
      ['aliases', 'aliases long'],
      ['fields', 'fields long'],
    ] as const) {
      if (size[limit] <= LIMITS[limit]) continue;
      context.reportError(
        new GraphQLError(`${what} is ${size[limit]} ${words}; at most ${LIMITS[limit]} are allowed.`, {
          nodes: operation,
        }),
      );
    }
  },
});

function measure(operation: OperationDefinitionNode, context: ValidationContext): Size {
  const measured = new Map<FragmentDefinitionNode, Size>();

  function ofSet(set: SelectionSetNode | undefined): Size {
    return (set?.selections ?? []).reduce((size, selection) => {
      if (selection.kind === Kind.FIELD) return add(size, ofField(selection));
      if (selection.kind === Kind.INLINE_FRAGMENT) return add(size, ofSet(selection.selectionSet));
      return add(size, ofFragment(context.getFragment(selection.name.value)));
    }, NOTHING);
  }

  /** Each fragment is measured once, however often it is spread; one that spreads itself is refused elsewhere. */
  function ofFragment(fragment: FragmentDefinitionNode | null | undefined): Size {
    if (!fragment) return NOTHING;
    const known = measured.get(fragment);
    if (known !== undefined) return known;
    measured.set(fragment, NOTHING);
    const size = ofSet(fragment.selectionSet);
    measured.set(fragment, size);
    return size;
  }

  function ofField({ name, alias, selectionSet }: FieldNode): Size {
    const below = ofSet(selectionSet);
    const introspection = name.value === '__schema' || name.value === '__type';
    return {
      depth: introspection ? 0 : below.depth + 1,
      rootFields: 1,
      aliases: below.aliases + (alias === undefined ? 0 : 1),
      fields: below.fields + 1,
    };
  }

  return ofSet(operation.selectionSet);
}

function add(one: Size, other: Size): Size {
  return {
    depth: Math.max(one.depth, other.depth),
    rootFields: one.rootFields + other.rootFields,
    aliases: one.aliases + other.aliases,
    fields: one.fields + other.fields,
  };
}
