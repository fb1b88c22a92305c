import {
  type GraphQLField,
  type GraphQLFieldMap,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/*
 * The graph as a tree. A path has the names of fields, and `...Mission` for one of several types. The rows of a
 * connection are below it without `edges` and `node`: `missions.nodes.title`, however the query writes them, and
 * `missions.edges.distance` for what belongs to a row's place in the list.
 */

/** Steps from the root. */
export type Path = readonly string[];

/** A field of the tree, or one of the types that a field may have. */
export interface Branch {
  readonly path: Path;
  /** Null for one of several types. */
  readonly field: Field | null;
  readonly type: GraphQLNamedType;
}

type Field = GraphQLField<unknown, unknown>;

/** What a connection is made of. */
interface Connection {
  readonly rows: GraphQLNamedType;
  /** The fields of its edges besides `node` and `cursor`. */
  readonly ofEdges: readonly Field[];
  /** `totalCount`, if it has one. */
  readonly counts: readonly string[];
}

/** The connection that a type is; null if it is none. */
export function connectionOf(type: GraphQLNamedType | undefined): Connection | null {
  const { pageInfo, nodes, edges, totalCount } = fieldsOf(type);
  const ofEdge = fieldsOf(edges && getNamedType(edges.type));
  const rows = nodes ?? ofEdge['node'];
  if (pageInfo === undefined || rows === undefined) return null;
  return {
    rows: getNamedType(rows.type),
    ofEdges: Object.values(ofEdge).filter(({ name }) => name !== 'node' && name !== 'cursor'),
    counts: totalCount ? [totalCount.name] : [],
  };
}

/** Fields that only hold others, or that are selected by themselves. */
const PLUMBING = new Set(['nodes', 'edges', 'pageInfo']);

/** What can be ticked below a path. */
export function branchesOf(schema: GraphQLSchema, type: GraphQLNamedType, path: Path): Branch[] {
  const below = (steps: Path, fields: readonly Field[]): Branch[] =>
    fields.map((field) => ({ path: [...path, ...steps, field.name], field, type: getNamedType(field.type) }));
  const connection = connectionOf(type);
  const own = Object.values(fieldsOf(type));
  if (connection !== null) {
    return [
      ...below(
        [],
        own.filter(({ name }) => !PLUMBING.has(name)),
      ),
      ...below(['edges'], connection.ofEdges),
      ...branchesOf(schema, connection.rows, [...path, 'nodes']),
    ];
  }
  const kinds = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  return [...below([], own), ...kinds.map((kind) => ({ path: [...path, `...${kind.name}`], field: null, type: kind }))];
}

/** The fields of a type by name; none if it has no fields. */
export function fieldsOf(type: GraphQLNamedType | undefined): GraphQLFieldMap<unknown, unknown> {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
}

/** The type that a step from another leads to. */
export function typeAfter(schema: GraphQLSchema, type: GraphQLNamedType | undefined, step: string) {
  if (step.startsWith('...')) return schema.getType(step.slice('...'.length));
  const field = fieldsOf(type)[step];
  return field && getNamedType(field.type);
}
