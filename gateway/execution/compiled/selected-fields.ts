import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  isAbstractType,
  isUnionType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Data } from './merge.js';

/** A field of the response, with all of its sub-selections. */
export interface SelectedField {
  /** Its response key: the alias or the name. */
  readonly key: string;
  readonly name: string;
  /** The first place where it is written: all of them have equal arguments. */
  readonly node: FieldNode;
  readonly sets: readonly SelectionSetNode[];
}

/** What collecting fields needs to know. */
export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Values of the variables of `@skip` and `@include`. */
  readonly flags: Data;
}

/**
 * Collects the fields selected on an object of this type, in response order (GraphQL 6.3.2). For an interface: the
 * fields that all of its types have.
 */
export function selectFields(
  sets: readonly SelectionSetNode[],
  type: GraphQLCompositeType,
  scope: SelectionScope,
): SelectedField[] {
  const fields = new Map<string, SelectedField & { sets: SelectionSetNode[] }>();
  const spread = new Set<string>();

  function add(node: FieldNode): void {
    const { alias, name, selectionSet } = node;
    const key = (alias ?? name).value;
    const field = fields.get(key) ?? { key, name: name.value, node, sets: [] };
    if (selectionSet !== undefined) field.sets.push(selectionSet);
    fields.set(key, field);
  }

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (isSkipped(selection.directives ?? [], scope.flags)) continue;
      if (selection.kind === Kind.FIELD) {
        add(selection);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : scope.fragments.get(selection.name.value);
      if (fragment !== undefined && applies(fragment.typeCondition?.name.value, type, scope.schema)) {
        collect(fragment.selectionSet);
      }
    }
  }

  for (const set of sets) collect(set);
  return [...fields.values()];
}

function applies(condition: string | undefined, type: GraphQLCompositeType, schema: GraphQLSchema): boolean {
  if (condition === undefined || condition === type.name) return true;
  const abstract = schema.getType(condition);
  return isAbstractType(abstract) && !isUnionType(type) && schema.isSubType(abstract, type);
}

/** Whether `@skip` or `@include` excludes a selection. */
function isSkipped(directives: readonly DirectiveNode[], flags: Data): boolean {
  return directives.some(({ name, arguments: [condition] = [] }) => {
    if (name.value !== 'skip' && name.value !== 'include') return false;
    const value = condition?.value;
    const holds = value?.kind === Kind.VARIABLE ? flags[value.name.value] : value?.kind === Kind.BOOLEAN && value.value;
    return name.value === 'skip' ? holds === true : holds !== true;
  });
}
