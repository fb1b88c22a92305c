import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLField, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';

/** One documented response field, as the data of the contract describe it. */
export interface FieldRow {
  readonly service: string;
  readonly resource: string;
  readonly path: string;
  readonly graphql: string | null;
  readonly kind: string;
  readonly alsoKind?: string;
  readonly list: boolean;
  readonly nullable: boolean | 'unknown';
  readonly presence: string;
  readonly layer: string;
  readonly exposed?: boolean;
  readonly exposedReason?: string;
  readonly ref?: string;
  readonly enum?: readonly string[];
  readonly open?: boolean;
  readonly designName?: string;
  readonly nullWith?: string;
  readonly seed: string;
}

export function readContract<T>(name: 'fields' | 'requests' | 'rules' | 'writes'): readonly T[] {
  return JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8')) as T[];
}

/** The graph that clients see. */
export const api: GraphQLSchema = buildSchema(
  readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'),
);

/** The type of a documented resource in the graph, if its name differs. */
const TYPE_OF: Readonly<Record<string, string>> = {
  TokenResponse: 'Query',
  MissionSearch: 'MissionSearchConnection',
};

/** The path of a row below its type, which differs where the graph moves it: the token response's user is `viewer`. */
export function pathOf(row: FieldRow): string[] {
  const path = (row.graphql ?? '').split('.');
  return row.resource === 'TokenResponse' && path[0] === 'user' ? ['viewer', ...path.slice(1)] : path;
}

/** The graph's field for a documented one; undefined if it is missing. */
export function findField(row: FieldRow): GraphQLField<unknown, unknown> | undefined {
  let type = api.getType(TYPE_OF[row.resource] ?? row.resource);
  let found: GraphQLField<unknown, unknown> | undefined;
  for (const name of pathOf(row)) {
    if (!isObjectType(type)) return undefined;
    found = type.getFields()[name];
    if (found === undefined) return undefined;
    type = getNamedType(found.type);
  }
  return found;
}
