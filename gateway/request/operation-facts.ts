import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  type ValueNode,
} from 'graphql';
import { fragmentsOf } from '../../kernel/selections.js';

/** What is told of an operation wherever it is answered. */
export interface OperationFacts {
  /** The name in its document; undefined if it has none. */
  readonly name: string | undefined;
  readonly type: `${OperationDefinitionNode['operation']}`;
  /** What it uses that is deprecated, as the header says it; null if nothing. */
  readonly deprecations: string | null;
}

const known = new WeakMap<OperationDefinitionNode, OperationFacts>();

/** The facts of an operation of a validated document, read once per parse of its document. */
export function factsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationFacts {
  const found = known.get(operation);
  if (found !== undefined) return found;
  const facts = {
    name: operation.name?.value,
    type: operation.operation,
    deprecations: deprecationsOf(schema, document, operation),
  };
  known.set(operation, facts);
  return facts;
}

/** Elements that one header names. */
const MAX_NAMED = 20;

/** Schema coordinates of deprecated elements in the text of an operation, separated by commas; variables are not read. */
function deprecationsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
): string | null {
  const used = new DeprecatedElements(schema, fragmentsOf(document));
  for (const { type, defaultValue } of variableDefinitions)
    if (defaultValue !== undefined) used.addValue(defaultValue, typeFromAST(schema, type));
  used.addSelections(selectionSet, schema.getRootType(operation));
  const { size } = used.coordinates;
  const named = [...used.coordinates].slice(0, MAX_NAMED);
  return size === 0 ? null : [...named, ...(size > MAX_NAMED ? ['more'] : [])].join(', ');
}

/** Collects what a valid document uses. A walk of its own, as the library's takes ten times as long. */
class DeprecatedElements {
  readonly coordinates = new Set<string>();
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #seen = new Set<string>();

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#schema = schema;
    this.#fragments = fragments;
  }

  addSelections({ selections }: SelectionSetNode, parent: Maybe<GraphQLNamedType>): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) this.#addField(selection, parent);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) this.#addFragment(selection.name.value);
      else this.addSelections(selection.selectionSet, this.#named(selection.typeCondition) ?? parent);
    }
  }

  #named(node: NamedTypeNode | undefined): Maybe<GraphQLNamedType> {
    return node && this.#schema.getType(node.name.value);
  }

  #addFragment(name: string): void {
    const fragment = this.#seen.has(name) ? undefined : this.#fragments.get(name);
    this.#seen.add(name);
    if (fragment !== undefined) this.addSelections(fragment.selectionSet, this.#named(fragment.typeCondition));
  }

  #addField({ name, arguments: given = [], selectionSet }: FieldNode, parent: Maybe<GraphQLNamedType>): void {
    // Nothing of the schema's own types is deprecated.
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name.value] : undefined;
    if (field === undefined) return;
    this.#note(field, () => `${parent?.name}.${field.name}`);
    for (const { name: argument, value } of given) {
      const declared = field.args.find((one) => one.name === argument.value);
      this.#note(declared, () => `${parent?.name}.${field.name}(${argument.value}:)`);
      this.addValue(value, declared?.type);
    }
    if (selectionSet !== undefined) this.addSelections(selectionSet, getNamedType(field.type));
  }

  addValue(node: ValueNode, given: Maybe<GraphQLType>): void {
    const type = getNamedType(given);
    if (node.kind === Kind.LIST) for (const item of node.values) this.addValue(item, type);
    if (node.kind === Kind.ENUM && isEnumType(type))
      this.#note(type.getValue(node.value), () => `${type.name}.${node.value}`);
    if (node.kind !== Kind.OBJECT || !isInputObjectType(type)) return;
    for (const { name, value } of node.fields) {
      const field = type.getFields()[name.value];
      this.#note(field, () => `${type.name}.${name.value}`);
      this.addValue(value, field?.type);
    }
  }

  #note(element: Maybe<{ readonly deprecationReason?: Maybe<string> }>, coordinate: () => string): void {
    if (element?.deprecationReason != null) this.coordinates.add(coordinate());
  }
}

type Maybe<T> = T | null | undefined;
