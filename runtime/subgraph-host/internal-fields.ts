import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** The fields of a subgraph that only the gateway itself may select: those that are @inaccessible. */
export interface InternalFields {
  /** Whether a valid document selects one of them. */
  usedBy(document: DocumentNode): boolean;
}

interface WithDirectives {
  readonly directives?: readonly { readonly name: { readonly value: string } }[] | undefined;
}

/** Finds in the SDL the fields that are @inaccessible, by themselves or by a type. */
export function findInternalFields(schema: GraphQLSchema): InternalFields {
  const internal = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const wholeType = isInaccessible(type);
    for (const field of Object.values(type.getFields())) {
      if (wholeType || isInaccessible(field) || isInaccessible(getNamedType(field.type))) {
        internal.add(`${type.name}.${field.name}`);
      }
    }
  }
  return { usedBy: (document) => internal.size > 0 && selects(document, schema, internal) };
}

function selects(document: DocumentNode, schema: GraphQLSchema, fields: ReadonlySet<string>): boolean {
  const info = new TypeInfo(schema);
  let found = false;
  visit(
    document,
    visitWithTypeInfo(info, {
      Field({ name }) {
        found ||= fields.has(`${info.getParentType()?.name}.${name.value}`);
      },
    }),
  );
  return found;
}

function isInaccessible(element: {
  readonly astNode?: WithDirectives | null | undefined;
  readonly extensionASTNodes?: readonly WithDirectives[] | undefined;
}): boolean {
  const nodes = [element.astNode, ...(element.extensionASTNodes ?? [])];
  // The second name is that of a schema that links federation without importing the directive.
  return nodes.some((node) =>
    node?.directives?.some(({ name }) => name.value === 'inaccessible' || name.value === 'federation__inaccessible'),
  );
}
