import {
  type ASTVisitFn,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  parseType,
  print,
  TypeInfo,
  type TypeNode,
  type VariableNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { ownValue } from '../../../kernel/text.js';
import { operationNamed, parseQuery } from '../request/operation.js';

/** What a variable means, which decides how it is entered. */
export type VariableKind =
  | 'commune'
  | 'departement'
  | 'domain'
  | 'rome'
  | 'rncp'
  | 'choice'
  | 'flag'
  | 'integer'
  | 'decimal'
  | 'kilometres'
  | 'date'
  | 'dateRange'
  | 'text'
  /** Anything that can only be expressed in JSON. */
  | 'json';

/** A variable as an operation declares it. */
export interface Declaration {
  readonly name: string;
  /** As written, such as `[String!]`. */
  readonly type: string;
  /** Its innermost type, such as `String`. */
  readonly scalar: string;
  readonly kind: VariableKind;
  readonly isList: boolean;
  /** Whether the query needs a value: not nullable and without a default. */
  readonly isRequired: boolean;
  /** The declared default; undefined without one. */
  readonly standard: unknown;
  /** The argument that takes it, such as `radius`; empty if none does. */
  readonly argument: string;
  /** The argument's description in the schema. */
  readonly description: string;
  /** The values of an enum. */
  readonly choices: readonly string[];
}

/** The page of a list is chosen by the button for all pages, not by hand. */
const CURSOR = 'after';

/**
 * The variables that an operation declares, except cursors; none if the text cannot be parsed. Without a schema, kinds
 * follow from the declared types alone.
 */
export function readDeclarations(
  query: string,
  operationName: string | null,
  schema: GraphQLSchema | null,
): Declaration[] {
  const document = parseQuery(query);
  const operation = operationNamed(document, operationName);
  if (!document || !operation) return [];
  const uses = schema === null ? null : argumentsOf(document, schema);
  return (operation.variableDefinitions ?? [])
    .map(({ variable, type, defaultValue }) => {
      const argument = uses?.get(variable.name.value);
      const scalar = innermost(type);
      const isList = listDepth(type) > 0;
      return {
        name: variable.name.value,
        type: print(type),
        scalar,
        isList,
        isRequired: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
        standard: defaultValue === undefined ? undefined : valueFromASTUntyped(defaultValue),
        argument: argument?.name ?? '',
        description: argument?.description ?? '',
        ...kindOf(type, scalar, argument?.name ?? variable.name.value, schema),
      };
    })
    .filter(({ argument, name }) => argument !== CURSOR && name !== CURSOR);
}

/** What an argument means, which decides how a variable for it is entered. */
export function kindOfArgument({ name, type }: GraphQLArgument, schema: GraphQLSchema): VariableKind {
  return kindOf(parseType(String(type)), getNamedType(type).name, name, schema).kind;
}

/** The argument, or the field of one, that takes each variable; the first one if a variable is used twice. */
function argumentsOf(document: DocumentNode, schema: GraphQLSchema) {
  const uses = new Map<string, Pick<GraphQLArgument, 'name' | 'description'>>();
  const info = new TypeInfo(schema);
  const Variable: ASTVisitFn<VariableNode> = ({ name: { value: name } }, _key, parent) => {
    const argument = info.getArgument();
    if (!argument || uses.has(name)) return;
    const field = parent && 'kind' in parent && parent.kind === Kind.OBJECT_FIELD ? parent.name.value : argument.name;
    uses.set(name, { name: field, description: argument.description });
  };
  visit(document, visitWithTypeInfo(info, { Variable }));
  return uses;
}

function kindOf(type: TypeNode, scalar: string, argument: string, schema: GraphQLSchema | null) {
  const named = schema?.getType(scalar);
  if (listDepth(type) > 1) return { kind: 'json', choices: [] } as const;
  if (isEnumType(named)) return { kind: 'choice', choices: named.getValues().map(({ name }) => name) } as const;
  const isRange = scalar === 'DateTimeRange' && listDepth(type) === 0;
  if (isInputObjectType(named)) return { kind: isRange ? 'dateRange' : 'json', choices: [] } as const;
  const kind: VariableKind =
    ownValue(ownValue(BY_ARGUMENT, argument) ?? {}, scalar) ?? ownValue(BY_TYPE, scalar) ?? 'text';
  // Only values that are picked or typed as text have a field for several.
  return { kind: listDepth(type) > 0 && SINGLE.has(kind) ? 'json' : kind, choices: [] } as const;
}

const SINGLE = new Set<VariableKind>(['flag', 'integer', 'decimal', 'kilometres', 'date']);

const BY_TYPE: Readonly<Record<string, VariableKind>> = {
  INSEECode: 'commune',
  ROMECode: 'rome',
  RNCPCode: 'rncp',
  Boolean: 'flag',
  Int: 'integer',
  Float: 'decimal',
  DateTime: 'date',
};

/** What the type alone does not tell: a text may be the code of a département. */
const BY_ARGUMENT: Readonly<Record<string, Readonly<Record<string, VariableKind>>>> = {
  department: { String: 'departement' },
  departements: { String: 'departement' },
  domain: { String: 'domain' },
  insee: { String: 'commune' },
  radius: { Float: 'kilometres', Int: 'kilometres' },
  distance: { Float: 'kilometres', Int: 'kilometres' },
};

function innermost(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : innermost(type.type);
}

function listDepth(type: TypeNode): number {
  if (type.kind === Kind.NAMED_TYPE) return 0;
  return listDepth(type.type) + (type.kind === Kind.LIST_TYPE ? 1 : 0);
}
