import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isCompositeType,
  isUnionType,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import {
  createProgramCache,
  type Flags,
  flagsOf,
  fragmentsOf,
  type SelectedField,
  type SelectionScope,
  selectFields,
} from '../../kernel/selections.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { operationKey } from './subgraph-responses.js';

/**
 * One operation of a client as the library gets it, for one choice of its `@skip` and `@include`: what is selected on
 * each type, merged, in the order of the response (GraphQL 6.3.2). The planner answers some operations wrongly, and
 * without an error (architecture 5), so it never sees what misleads it:
 *
 * - *Conditions* are decided. A set that they empty, for which the answer is `{}`, gets a `__typename` of a private name.
 * - *Fragments* are gone, except one for each type of an interface: the fields of a mutation run, and those of any
 *   object are answered, in the order of the client.
 * - *Names* of operations are gone, so that equal ones have one plan.
 * - *Introspection* is apart, for graphql-js: the library's own model of it is older.
 */
interface PreparedOperation {
  /** All of it. */
  readonly operation: OperationDefinitionNode;
  /** What subgraphs answer; null if that is nothing. */
  readonly planned: PlannedDocument | null;
  /** What the schema itself answers, the root's `__typename` if nothing is planned; null if that is nothing. */
  readonly introspection: DocumentNode | null;
  /** Whether that is more than a `__typename`. */
  readonly readsSchema: boolean;
  /** Whether any field of the response has a private name. */
  readonly hasPrivateNames: boolean;
}

/** A document of one operation, with its text, by which its plan is known. */
export interface PlannedDocument {
  readonly document: DocumentNode;
  readonly text: string;
  readonly key: string;
}

/** The operations of one document of a client. */
export interface PreparedDocument {
  /** The operation of this name for these variables of the client; null if the document has none. */
  find(operationName: string | undefined, variables: Flags): FoundOperation | null;
}

/** An operation, with the variables under the names that it uses. */
export interface FoundOperation {
  readonly prepared: PreparedOperation;
  readonly variables: Flags;
}

/** Prepares a document that is valid in this schema; each operation once for each choice, of which a few are cached. */
export function prepareDocument(document: DocumentNode, schema: GraphQLSchema, names: PrivateNames): PreparedDocument {
  const renamed = names.rename(document);
  const isRenamed = renamed.document !== document;
  const fragments = fragmentsOf(renamed.document);
  const known = new Map<OperationDefinitionNode, (variables: Flags) => PreparedOperation>();

  function programOf(operation: OperationDefinitionNode) {
    const program = createProgramCache(flagsOf(renamed.document, operation), (flags) => {
      const selection = mergeSelections(operation, { schema, fragments, flags }, names);
      const hasPrivateNames = isRenamed || selection.hasEmptied;
      return { ...split(operation, selection.fields, renamed.document), hasPrivateNames };
    });
    known.set(operation, program);
    return program;
  }

  return {
    find(operationName, sent) {
      const operation = getOperationAST(renamed.document, operationName);
      if (!operation) return null;
      const variables = renamed.renameVariables(sent);
      const prepared = (known.get(operation) ?? programOf(operation))(variables);
      return { prepared, variables };
    },
  };
}

/** Divides an operation with these root fields between the subgraphs and the schema itself. */
function split(
  { name: _, ...unnamed }: OperationDefinitionNode,
  fields: readonly FieldNode[],
  { definitions }: DocumentNode,
): Omit<PreparedOperation, 'hasPrivateNames'> {
  const operationOf = (selections: readonly FieldNode[]) => ({ ...unnamed, selectionSet: setOf(selections) });
  const ofSchema = fields.filter(isIntrospection);
  const others = fields.filter((field) => !isIntrospection(field));
  const isPlanned = others.some(({ name }) => name.value !== '__typename');
  const read = isPlanned ? ofSchema : fields;
  // Selections of the schema are as the client wrote them.
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return {
    operation: operationOf(fields),
    planned: isPlanned ? planDocument({ kind: Kind.DOCUMENT, definitions: [operationOf(others)] }) : null,
    readsSchema: ofSchema.length > 0,
    introspection: read.length > 0 ? { kind: Kind.DOCUMENT, definitions: [operationOf(read), ...fragments] } : null,
  };
}

function isIntrospection({ name }: FieldNode): boolean {
  return name.value === '__schema' || name.value === '__type';
}

function planDocument(document: DocumentNode): PlannedDocument {
  const text = print(document);
  return { document, text, key: operationKey(text) };
}

/** The root fields with what is selected below them; `hasEmptied`: whether any set had nothing left. */
function mergeSelections(
  { operation, selectionSet }: OperationDefinitionNode,
  scope: SelectionScope,
  names: PrivateNames,
): { readonly fields: readonly FieldNode[]; readonly hasEmptied: boolean } {
  const { schema } = scope;
  let hasEmptied = false;

  function mergeField({ node, name, sets }: SelectedField, parent: GraphQLCompositeType): FieldNode {
    const { directives: _, ...field } = node;
    if (sets.length === 0) return field;
    const type = isUnionType(parent) ? undefined : getNamedType(parent.getFields()[name]?.type);
    // A field of the schema itself.
    if (!isCompositeType(type)) return { ...field, selectionSet: setOf(sets.flatMap(({ selections }) => selections)) };
    return { ...field, selectionSet: mergeSets(sets, type) };
  }

  function mergeSets(sets: readonly SelectionSetNode[], type: GraphQLCompositeType): SelectionSetNode {
    const merged = isAbstractType(type) && hasTypeConditions(sets) ? mergeByType(sets, type) : mergeFields(sets, type);
    if (merged.length > 0) return setOf(merged);
    hasEmptied = true;
    return setOf([typenameOf(names.ofNobody)]);
  }

  function mergeFields(sets: readonly SelectionSetNode[], type: GraphQLCompositeType): FieldNode[] {
    return selectFields(sets, type, scope).map((field) => mergeField(field, type));
  }

  function mergeByType(sets: readonly SelectionSetNode[], type: GraphQLCompositeType): SelectionNode[] {
    if (!isAbstractType(type)) return [];
    return schema.getPossibleTypes(type).flatMap((possible) => {
      const selections = mergeFields(sets, possible);
      if (selections.length === 0) return [];
      const typeCondition = { kind: Kind.NAMED_TYPE, name: nameOf(possible.name) } as const;
      return { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: setOf(selections) } as const;
    });
  }

  const root = schema.getRootType(operation);
  if (!root) throw new Error(`The graph has no ${operation}s.`);
  const { selections } = mergeSets([selectionSet], root);
  return { fields: selections as readonly FieldNode[], hasEmptied };
}

function setOf(selections: readonly SelectionNode[]): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections };
}

function typenameOf(alias: string): FieldNode {
  return { kind: Kind.FIELD, alias: nameOf(alias), name: nameOf('__typename') };
}

function nameOf(value: string) {
  return { kind: Kind.NAME, value } as const;
}

/** Whether an object's type decides which of these selections apply to it. */
function hasTypeConditions(sets: readonly SelectionSetNode[]): boolean {
  return sets.some(({ selections }) =>
    selections.some((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return true;
      if (selection.kind === Kind.FIELD) return false;
      return selection.typeCondition !== undefined || hasTypeConditions([selection.selectionSet]);
    }),
  );
}

/**
 * Renames aliases that would confuse the planner. It silently mistakes an alias that equals another field of the same
 * type, `{ city: title }`, for the field that a join requires (architecture 5, federation#3036), so the alias gets a
 * prefix before planning. A name that already has the prefix gets another: removing one always restores the client's
 * name. The same is done for a variable `$representations`, since plans use that name themselves.
 */
export interface PrivateNames {
  /** The document for the planner. */
  rename(document: DocumentNode): RenamedDocument;
  /** The alias of a field that no client has selected. Restoring names leaves it out. */
  readonly ofNobody: string;
  /** The client's name for a name in the response. */
  restoreName(name: string): string;
  /** A message with private names replaced by the client's. */
  restoreText(text: string): string;
  /** A copy of the data with the client's names. */
  restoreData(data: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** A document with private names. */
interface RenamedDocument {
  readonly document: DocumentNode;
  /** The client's variables under their new names. */
  renameVariables(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** Private names for one supergraph, with a prefix that none of its fields has. */
export function createPrivateNames(supergraph: SupergraphMap): PrivateNames {
  const prefix = choosePrefix(supergraph);
  const restoreName = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const restore = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(restore);
    const restored: Record<string, unknown> = Object.create(null);
    for (const [key, below] of Object.entries(value)) if (key !== prefix) restored[restoreName(key)] = restore(below);
    return restored;
  };
  return {
    rename: (document) => rename(document, prefix, supergraph),
    ofNobody: prefix,
    restoreName,
    restoreText: (text) => text.replaceAll(prefix, ''),
    restoreData: (data) => restore(data) as Record<string, unknown>,
  };
}

function choosePrefix(supergraph: SupergraphMap): string {
  let prefix = 'private_';
  while (supergraph.hasFieldPrefix(prefix)) prefix += '_';
  return prefix;
}

function rename(document: DocumentNode, prefix: string, supergraph: SupergraphMap): RenamedDocument {
  const needsPrefix = (name: string, taken: boolean) => taken || name.startsWith(prefix);
  const prefixed = (name: NameNode): NameNode => ({ ...name, value: prefix + name.value });
  const variables = new Set<string>();
  const types: string[] = [];
  const leave = () => {
    types.pop();
  };
  const renamed = visit(document, {
    OperationDefinition: { enter: ({ operation }) => void types.push(supergraph.rootType(operation)), leave },
    FragmentDefinition: { enter: ({ typeCondition }) => void types.push(typeCondition.name.value), leave },
    InlineFragment: {
      enter: ({ typeCondition }) => void types.push(typeCondition?.name.value ?? types.at(-1) ?? ''),
      leave,
    },
    Field: {
      enter(field) {
        const parent = types.at(-1) ?? '';
        types.push(supergraph.field(parent, field.name.value)?.type ?? '');
        if (field.alias === undefined) return;
        if (!needsPrefix(field.alias.value, isAnotherField(field, parent, supergraph))) return;
        return { ...field, alias: prefixed(field.alias) };
      },
      leave,
    },
    Variable(variable) {
      const { name } = variable;
      if (!needsPrefix(name.value, name.value === 'representations')) return;
      variables.add(name.value);
      return { ...variable, name: prefixed(name) };
    },
  });
  return {
    document: renamed,
    renameVariables: (values) =>
      variables.size === 0
        ? values
        : Object.fromEntries(
            Object.entries(values).map(([name, value]) => [variables.has(name) ? prefix + name : name, value]),
          ),
  };
}

function isAnotherField({ alias, name }: FieldNode, parent: string, supergraph: SupergraphMap): boolean {
  if (alias === undefined || alias.value === name.value) return false;
  return alias.value === '__typename' || supergraph.mayHaveField(parent, alias.value);
}
