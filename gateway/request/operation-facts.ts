import {
  type DocumentNode,
  type ExecutableDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
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
  operation: OperationDefinitionNode,
): string | null {
  const coordinates = new Set<string>();
  const types = new TypeInfo(schema);
  const fragments = fragmentsOf(document);
  const reached = new Set<ExecutableDefinitionNode>([operation]);
  const note = (element: Maybe<{ readonly deprecationReason?: Maybe<string> }>, coordinate: () => string) => {
    if (element?.deprecationReason != null) coordinates.add(coordinate());
  };
  const field = () => `${types.getParentType()?.name}.${types.getFieldDef()?.name}`;
  const notes = visitWithTypeInfo(types, {
    Field: () => note(types.getFieldDef(), field),
    Argument: ({ name }) => note(types.getArgument(), () => `${field()}(${name.value}:)`),
    EnumValue: ({ value }) => note(types.getEnumValue(), () => `${getNamedType(types.getInputType())?.name}.${value}`),
    ObjectField({ name }) {
      const parent = getNamedType(types.getParentInputType());
      if (isInputObjectType(parent)) note(parent.getFields()[name.value], () => `${parent.name}.${name.value}`);
    },
    FragmentSpread({ name }) {
      const fragment = fragments.get(name.value);
      if (fragment !== undefined) reached.add(fragment);
    },
  });
  // Iterating over a set also visits items that are added meanwhile.
  for (const definition of reached) visit(definition, notes);
  const named = [...coordinates].slice(0, MAX_NAMED);
  return coordinates.size === 0 ? null : [...named, ...(coordinates.size > MAX_NAMED ? ['more'] : [])].join(', ');
}

type Maybe<T> = T | null | undefined;
