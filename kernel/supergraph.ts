import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  type TypeNode,
  valueFromASTUntyped,
} from 'graphql';

/**
 * What the gateway reads in the supergraph: first a map of its types, fields and directives (`mapSupergraph`), then the
 * **owner** of each field (`findFieldOwners`): the subgraph that answers it, and, where the objects of its type originate
 * in another subgraph, what that one has to know about an object so that the owner can join its field.
 */

/** The field set of a `@requires`, as a tree of names. */
export type RequiredFields = ReadonlyMap<string, RequiredFields>;

/** Supergraph metadata of one field. */
interface MappedField {
  /** Its named type. */
  readonly type: string;
  /** Names of the subgraphs that resolve it; empty if all subgraphs that have its type do. */
  readonly subgraphs: ReadonlySet<string>;
  /** The field set of its `@requires`; null if it has none. */
  readonly requires: RequiredFields | null;
}

/** What the gateway itself needs to know about a supergraph: who resolves which field, and what joins require. */
export type SupergraphMap = ReturnType<typeof mapSupergraph>;

/** An object type or interface: its fields, the subgraphs that have it, and the first key of those that resolve it. */
interface MappedType {
  readonly isObject: boolean;
  readonly fields: ReadonlyMap<string, MappedField>;
  readonly subgraphs: readonly string[];
  readonly keys: ReadonlyMap<string, RequiredFields>;
}

/** Reads the map from the SDL of a Federation 2 supergraph. */
export function mapSupergraph(sdl: string) {
  const document = parse(sdl, { noLocation: true });
  const subgraphs = subgraphNames(document);
  const types = new Map<string, MappedType>();
  const possible = new Map<string, Set<string>>();
  const addPossible = (abstract: string, type: string) =>
    possible.set(abstract, (possible.get(abstract) ?? new Set()).add(type));
  const roots = new Map<OperationTypeNode, string>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.SCHEMA_DEFINITION) {
      for (const { operation, type } of definition.operationTypes) roots.set(operation, type.name.value);
    } else if (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      const type = definition.name.value;
      types.set(type, mapType(definition, subgraphs));
      for (const { name } of definition.interfaces ?? []) addPossible(name.value, type);
    } else if (definition.kind === Kind.UNION_TYPE_DEFINITION) {
      for (const { name } of definition.types ?? []) addPossible(definition.name.value, name.value);
    }
  }
  return {
    rootType: (operation: OperationTypeNode): string => roots.get(operation) ?? '',
    /** Names of the fields of an object type or interface; none for any other. */
    fieldsOf: (type: string): readonly string[] => [...(types.get(type)?.fields.keys() ?? [])],
    field: (type: string, name: string): MappedField | undefined => types.get(type)?.fields.get(name),
    /** Names of the subgraphs that have a type, in the order of the supergraph. */
    subgraphsOf: (type: string): readonly string[] => types.get(type)?.subgraphs ?? [],
    /** The object types that an interface or union stands for; the type itself if it is an object type. */
    objectTypes: (type: string): readonly string[] =>
      types.get(type)?.isObject === true ? [type] : [...(possible.get(type) ?? [])],
    /** The first key by which a subgraph resolves objects of a type; undefined if it resolves none of them. */
    key: (type: string, subgraph: string): RequiredFields | undefined => types.get(type)?.keys.get(subgraph),
    /** Whether `type` is `condition` or one of its possible types. */
    matches: (type: string, condition: string): boolean =>
      type === condition || possible.get(condition)?.has(type) === true,
  };
}

/** Enum value of `join__Graph` → name of the subgraph. */
function subgraphNames({ definitions }: DocumentNode): ReadonlyMap<unknown, string> {
  const values = definitions.flatMap((definition) =>
    definition.kind === Kind.ENUM_TYPE_DEFINITION && definition.name.value === 'join__Graph'
      ? (definition.values ?? [])
      : [],
  );
  return new Map(values.map((value) => [value.name.value, String(usesOf('join__graph', value)[0]?.['name'])]));
}

function mapType(
  type: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode,
  names: ReadonlyMap<unknown, string>,
): MappedType {
  const subgraphs = new Set<string>();
  const keys = new Map<string, RequiredFields>();
  for (const { graph, key, resolvable } of usesOf('join__type', type)) {
    const subgraph = names.get(graph) ?? String(graph);
    subgraphs.add(subgraph);
    if (typeof key === 'string' && resolvable !== false && !keys.has(subgraph)) keys.set(subgraph, parseRequired(key));
  }
  const fields = new Map(type.fields?.map((field) => [field.name.value, mapField(field, names)]));
  return { isObject: type.kind === Kind.OBJECT_TYPE_DEFINITION, fields, subgraphs: [...subgraphs], keys };
}

function mapField(field: FieldDefinitionNode, names: ReadonlyMap<unknown, string>): MappedField {
  const subgraphs = new Set<string>();
  let requires: RequiredFields | null = null;
  for (const { graph, external, requires: required } of usesOf('join__field', field)) {
    if (graph !== undefined && external !== true) subgraphs.add(names.get(graph) ?? String(graph));
    if (typeof required === 'string') requires = mergeRequired(requires, parseRequired(required));
  }
  return { type: namedType(field.type), subgraphs, requires };
}

/** The arguments of each use of a directive on a definition. */
function usesOf(
  directive: string,
  { directives = [] }: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
): Record<string, unknown>[] {
  const uses = directives.filter(({ name }) => name.value === directive);
  return uses.map(({ arguments: given = [] }) =>
    Object.fromEntries(given.map(({ name, value }) => [name.value, valueFromASTUntyped(value)])),
  );
}

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}

function parseRequired(fieldSet: string): RequiredFields {
  const [definition] = parse(`{ ${fieldSet} }`, { noLocation: true }).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION ? requiredTree(definition.selectionSet) : new Map();
}

function requiredTree({ selections }: SelectionSetNode): RequiredFields {
  let tree: RequiredFields = new Map();
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const below = selection.selectionSet === undefined ? new Map() : requiredTree(selection.selectionSet);
      tree = mergeRequired(tree, new Map([[selection.name.value, below]]));
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      tree = mergeRequired(tree, requiredTree(selection.selectionSet));
    }
  }
  return tree;
}

/** Everything that either tree requires. */
function mergeRequired(one: RequiredFields | null, other: RequiredFields): RequiredFields {
  const merged = new Map(one);
  for (const [name, below] of other) merged.set(name, mergeRequired(merged.get(name) ?? null, below));
  return merged;
}

/** Which subgraph answers a field of an object, and what it needs to know about the object. */
export interface FieldOwner {
  /** Name of the subgraph that answers the field. */
  readonly subgraph: string;
  /** Present if the object comes from another subgraph: that one, and the fields that represent the object. */
  readonly join: { readonly from: string; readonly needs: RequiredFields } | null;
}

/**
 * Finds the owner of each field by walking the supergraph from its roots. The objects of a type come from the subgraph
 * whose field returns them, or from where others of their type do if that field's type is an interface or a union; its
 * other fields are joins. Throws, naming the type or field, where one schema in one process could not answer: for a
 * field that no subgraph answers, and for a type whose objects come from two subgraphs, unless both answer all of its
 * fields.
 */
export function findFieldOwners(map: SupergraphMap) {
  const owners = new Map<string, FieldOwner>();
  const originating = new Map<string, string[]>();
  const left: { readonly type: string; readonly home: string }[] = [];
  /** What interfaces stand for, which may be references to objects of other subgraphs. */
  const referred: typeof left = [];

  function visit(type: string, home: string): void {
    const known = originating.get(type) ?? [];
    if (known.includes(home)) return;
    originating.set(type, [...known, home]);
    if (known.length > 0 && !isShared(map, type, [...known, home]))
      throw new Error(`Objects of ${type} come from two subgraphs: ${known.join()} and ${home}.`);
    for (const field of map.fieldsOf(type)) add(type, field, ownerOf(map, type, field, home));
  }

  function visitAll(): void {
    for (let next = left.pop(); next !== undefined; next = left.pop()) visit(next.type, next.home);
  }

  function add(type: string, field: string, owner: FieldOwner): void {
    const name = `${type}.${field}`;
    if (!owners.has(name)) owners.set(name, owner);
    const of = map.field(type, field)?.type ?? '';
    for (const below of map.objectTypes(of))
      (below === of ? left : referred).push({ type: below, home: owner.subgraph });
  }

  for (const operation of [OperationTypeNode.QUERY, OperationTypeNode.MUTATION]) {
    const root = map.rootType(operation);
    for (const field of map.fieldsOf(root)) {
      const [subgraph] = answering(map, root, field);
      if (subgraph === undefined) throw new Error(`No subgraph answers ${root}.${field}.`);
      add(root, field, { subgraph, join: null });
    }
  }
  visitAll();
  for (const { type, home } of referred) {
    if (!originating.has(type)) visit(type, home);
    visitAll();
  }
  return {
    /** Undefined for a field that no operation can reach. */
    of: (type: string, field: string): FieldOwner | undefined => owners.get(`${type}.${field}`),
    /** The subgraphs that the objects of a type come from: one, several for a value type, none if it cannot be reached. */
    originating: (type: string): readonly string[] => originating.get(type) ?? [],
  };
}

/** The subgraphs that answer a field, without regard to where its object comes from. */
function answering(map: SupergraphMap, type: string, field: string): readonly string[] {
  const named = [...(map.field(type, field)?.subgraphs ?? [])];
  return named.length > 0 ? named : map.subgraphsOf(type);
}

function ownerOf(map: SupergraphMap, type: string, field: string, home: string): FieldOwner {
  const subgraphs = answering(map, type, field);
  if (subgraphs.includes(home)) return { subgraph: home, join: null };
  for (const subgraph of subgraphs) {
    const key = map.key(type, subgraph);
    if (key === undefined) continue;
    const needs = mergeRequired(map.field(type, field)?.requires ?? null, key);
    checkKnown(map, { type, home, needs, field: `${type}.${field}` });
    return { subgraph, join: { from: home, needs } };
  }
  throw new Error(`No subgraph answers ${type}.${field} for the objects of ${home}.`);
}

/** Throws if the home of an object does not itself know what a join needs. */
function checkKnown(
  map: SupergraphMap,
  { type, home, needs, field }: { type: string; home: string; needs: RequiredFields; field: string },
): void {
  for (const [name, below] of needs) {
    if (!answering(map, type, name).includes(home))
      throw new Error(`${field} needs ${type}.${name}, which ${home} does not answer.`);
    const inner = map.field(type, name)?.type ?? '';
    for (const object of map.objectTypes(inner)) checkKnown(map, { type: object, home, needs: below, field });
  }
}

/** Whether a type is a value type: each of these subgraphs answers all of its fields. */
function isShared(map: SupergraphMap, type: string, subgraphs: readonly string[]): boolean {
  return map
    .fieldsOf(type)
    .every((field) => subgraphs.every((subgraph) => answering(map, type, field).includes(subgraph)));
}
