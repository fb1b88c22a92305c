import type { GraphQLObjectType } from 'graphql';
import { isObjectType } from 'graphql';
import type { Subgraph } from '../../../schema/operation.js';
import { mergeRequired, type RequiredFields, type SupergraphMap } from '../../graph/supergraph-map.js';

/** What an operation is compiled against: the supergraph, and this process's subgraphs by their names in it. */
export interface DirectGraph {
  readonly map: SupergraphMap;
  readonly subgraphs: ReadonlyMap<string, Subgraph>;
}

/** Why an operation, or a field in it, can only be answered in the general way. */
export class NotCompiled extends Error {}

/** The subgraph that answers a root field. */
export function homeOfRoot({ map, subgraphs }: DirectGraph, root: string, field: string): Subgraph {
  const owners = map.field(root, field)?.subgraphs ?? new Set();
  for (const owner of owners.size === 0 ? subgraphs.keys() : owners) {
    const home = subgraphs.get(owner);
    if (home !== undefined && root in home.schema.getTypeMap()) return home;
  }
  throw new NotCompiled(`No subgraph of this process answers ${root}.${field}.`);
}

/** Whether a subgraph answers a field of an object that it holds itself. */
export function isAtHome({ map }: DirectGraph, home: Subgraph, type: string, field: string): boolean {
  const owners = map.field(type, field)?.subgraphs;
  if (owners === undefined) return false;
  if (owners.size > 0) return owners.has(home.name);
  return objectType(home, type).getFields()[field] !== undefined;
}

/** Another subgraph that answers a field of an object, and what it needs to know about the object. */
export function homeOfJoin(
  { map, subgraphs }: DirectGraph,
  type: string,
  field: string,
): { readonly home: Subgraph; readonly needs: RequiredFields } {
  const mapped = map.field(type, field);
  for (const owner of mapped?.subgraphs ?? []) {
    const home = subgraphs.get(owner);
    const key = map.key(type, owner);
    if (home === undefined || key === undefined) continue;
    if (hasReferenceResolver(home, type)) throw new NotCompiled(`${owner} looks ${type} up by its key.`);
    return { home, needs: mergeRequired(mapped?.requires ?? null, key) };
  }
  throw new NotCompiled(`No subgraph of this process joins ${type}.${field}.`);
}

/** An object type of a subgraph. Throws NotCompiled if it is none. */
export function objectType({ name, schema }: Subgraph, type: string): GraphQLObjectType {
  const found = schema.getType(type);
  if (!isObjectType(found)) throw new NotCompiled(`${type} is not an object type of ${name}.`);
  return found;
}

function hasReferenceResolver(home: Subgraph, type: string): boolean {
  const { apollo } = objectType(home, type).extensions as { apollo?: { subgraph?: { resolveReference?: unknown } } };
  return apollo?.subgraph?.resolveReference !== undefined;
}
