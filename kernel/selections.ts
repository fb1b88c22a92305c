import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

/** The fragments of a document by name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** Looks up a fragment by name. */
export type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/** What walking the fields of selection sets needs to know. */
export interface FieldWalk {
  readonly findFragment: FindFragment;
  /** If absent, nothing is skipped. */
  readonly flags?: Flags;
  /** Whether a fragment with this type condition applies; if absent, every fragment does. */
  applies?(condition: string): boolean;
}

/**
 * Visits the fields of selection sets and of their fragments, each fragment spread once, in the order of the response
 * (GraphQL 6.3.2). `condition` is the innermost type condition around a field; undefined without one.
 */
export function walkFields(
  sets: readonly SelectionSetNode[],
  { findFragment, flags, applies }: FieldWalk,
  visit: (field: FieldNode, condition: string | undefined) => void,
): void {
  const spread = new Set<string>();

  function walk({ selections }: SelectionSetNode, condition: string | undefined): void {
    for (const selection of selections) {
      if (flags !== undefined && isSkipped(selection, flags)) continue;
      if (selection.kind === Kind.FIELD) {
        visit(selection, condition);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : findFragment(selection.name.value);
      if (!fragment) continue;
      const own = fragment.typeCondition?.name.value;
      if (own === undefined || applies?.(own) !== false) walk(fragment.selectionSet, own ?? condition);
    }
  }

  for (const set of sets) walk(set, undefined);
}

/** A field of the response, with all of its sub-selections. */
export interface SelectedField {
  /** Its response key: the alias or the name. */
  readonly key: string;
  readonly name: string;
  /** Its first occurrence: all occurrences have equal arguments. */
  readonly node: FieldNode;
  readonly sets: readonly SelectionSetNode[];
}

/** What collecting fields needs to know. */
export interface SelectionContext {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly flags: Flags;
}

/**
 * Collects the fields selected on an object of this type, in response order. For an interface: the fields that all of
 * its types have.
 */
export function selectFields(
  sets: readonly SelectionSetNode[],
  type: GraphQLCompositeType,
  { schema, fragments, flags }: SelectionContext,
): SelectedField[] {
  const fields = new Map<string, SelectedField & { sets: SelectionSetNode[] }>();
  const walk = {
    findFragment: (name: string) => fragments.get(name),
    flags,
    applies: (condition: string) => applies(condition, type, schema),
  };
  walkFields(sets, walk, (node) => {
    const { alias, name, selectionSet } = node;
    const key = (alias ?? name).value;
    const field = fields.get(key) ?? { key, name: name.value, node, sets: [] };
    if (selectionSet !== undefined) field.sets.push(selectionSet);
    fields.set(key, field);
  });
  return [...fields.values()];
}

/** The object types that values of a type may have; none for a leaf. */
export function objectTypesOf(type: GraphQLOutputType, schema: GraphQLSchema): readonly GraphQLObjectType[] {
  const named = getNamedType(type);
  if (isObjectType(named)) return [named];
  return isAbstractType(named) ? schema.getPossibleTypes(named) : [];
}

function applies(condition: string, type: GraphQLCompositeType, schema: GraphQLSchema): boolean {
  if (condition === type.name) return true;
  const abstract = schema.getType(condition);
  return isAbstractType(abstract) && !isUnionType(type) && schema.isSubType(abstract, type);
}

/**
 * Fields, fragments and spreads of fragments of all operations of a document with its fragments spread; equal ones count
 * each time. A kilobyte of text may spread to more than any computer can visit; this takes time only for what is
 * written. A fragment within itself, which validation refuses, counts as empty.
 */
export function spreadSelections(document: DocumentNode): number {
  const fragments = fragmentsOf(document);
  const known = new Map<string, number>();

  function sizeOfFragment(name: string): number {
    const size = known.get(name);
    if (size !== undefined) return size;
    known.set(name, 0);
    const spread = sizeOf(fragments.get(name)?.selectionSet);
    known.set(name, spread);
    return spread;
  }

  function sizeOf({ selections }: Pick<SelectionSetNode, 'selections'> = { selections: [] }): number {
    let size = selections.length;
    for (const one of selections)
      size += one.kind === Kind.FRAGMENT_SPREAD ? sizeOfFragment(one.name.value) : sizeOf(one.selectionSet);
    return size;
  }

  return document.definitions.reduce(
    (sum, one) => sum + (one.kind === Kind.OPERATION_DEFINITION ? sizeOf(one.selectionSet) : 0),
    0,
  );
}

/** The default values of an operation's variables, as written. */
export function defaultsOf({
  variableDefinitions = [],
}: Pick<OperationDefinitionNode, 'variableDefinitions'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );
}

/** Values of variables, including those of `@skip` and `@include`. */
export type Flags = Readonly<Record<string, unknown>>;

/** Whether `@skip` or `@include` excludes a selection. */
function isSkipped({ directives = [] }: SelectionNode, flags: Flags): boolean {
  return directives.some(({ name, arguments: [argument] = [] }) => {
    const condition = argument?.value;
    if (condition === undefined || (name.value !== 'skip' && name.value !== 'include')) return false;
    const value =
      condition.kind === Kind.VARIABLE
        ? flags[condition.name.value]
        : condition.kind === Kind.BOOLEAN && condition.value;
    return name.value === 'skip' ? value === true : value !== true;
  });
}
