import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  type OperationDefinitionNode,
  printSchema,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

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
  { name }: OperationDefinitionNode,
): string | null {
  const own = hasDeprecations(schema) ? separateOperations(document)[name?.value ?? ''] : undefined;
  if (own === undefined) return null;
  const info = new TypeInfo(schema);
  const used = new Set<string>();
  const note = (element: Maybe<{ readonly deprecationReason?: Maybe<string> }>, coordinate: string) => {
    if (element?.deprecationReason != null) used.add(coordinate);
  };
  const field = () => `${info.getParentType()?.name}.${info.getFieldDef()?.name}`;
  visit(
    own,
    visitWithTypeInfo(info, {
      Field: () => note(info.getFieldDef(), field()),
      Argument: ({ name: { value } }) => note(info.getArgument(), `${field()}(${value}:)`),
      ObjectField({ name: { value } }) {
        const input = getNamedType(info.getParentInputType());
        if (isInputObjectType(input)) note(input.getFields()[value], `${input.name}.${value}`);
      },
      EnumValue: ({ value }) => note(info.getEnumValue(), `${getNamedType(info.getInputType())?.name}.${value}`),
    }),
  );
  if (used.size === 0) return null;
  const named = [...used].slice(0, MAX_NAMED);
  return [...named, ...(used.size > MAX_NAMED ? ['more'] : [])].join(', ');
}

type Maybe<T> = T | null | undefined;

const schemas = new WeakMap<GraphQLSchema, boolean>();

/** Whether there is anything to look for; read once per schema. */
function hasDeprecations(schema: GraphQLSchema): boolean {
  const found = schemas.get(schema);
  if (found !== undefined) return found;
  const isAny = printSchema(schema).includes('@deprecated');
  schemas.set(schema, isAny);
  return isAny;
}
