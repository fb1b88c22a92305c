import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  isAbstractType,
  isUnionType,
  type SelectionSetNode,
} from 'graphql';
import type { Flags } from './flags.js';
import { walkFields } from './walk-fields.js';

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
export interface SelectionScope {
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
  { schema, fragments, flags }: SelectionScope,
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

function applies(condition: string, type: GraphQLCompositeType, schema: GraphQLSchema): boolean {
  if (condition === type.name) return true;
  const abstract = schema.getType(condition);
  return isAbstractType(abstract) && !isUnionType(type) && schema.isSubType(abstract, type);
}
