import type { GraphQLDataSource } from '@apollo/gateway';
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLFormattedError,
  parse,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { CodedError, type CodedErrorDetails, withoutStack } from '../../kernel/errors.js';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { isRecord } from '../../kernel/text.js';
import { INTERNAL_MESSAGE, isOurCode, type Omissions, type ResponsePath } from '../../runtime/errors.js';
import { forEachInTurns } from '../../runtime/event-loop/turns.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import type { GatewayContext } from '../request/request.js';
import { NO_ENTITIES } from './http-subgraph.js';
import { type Data, Failure, failed, failureIn, type MergedData, putFailure } from './merged-data.js';
import { restoreNames } from './planned-operation.js';
import type { SubgraphFetcher } from './subgraphs.js';

/** What a fetch is answered in. */
interface FetchContext {
  readonly map: SupergraphMap;
  readonly omissions: Omissions;
  /** The fields that it selects at its root, or on entities of a type. */
  fieldsOf(type: string): readonly FieldNode[];
}

/** The context of a request as the library passes it on, with what its fetches are merged into. */
interface FetchingContext extends GatewayContext {
  readonly merged: MergedData;
}

/**
 * A subgraph as the library sees it. The library would leak and misplace errors, join with what is left of what a join
 * requires, and send equal representations several times. Here errors are in the data, as failures in the places of
 * values; a field that requires one fails for the same reason; and equal representations are sent once. Never throws.
 */
export function createDataSource(fetcher: SubgraphFetcher, map: SupergraphMap): GraphQLDataSource {
  return {
    async process(options) {
      // Other kinds are introspection and the library's own health checks, which this gateway does not use.
      if (!('incomingRequestContext' in options)) return { data: {} };
      const { query = '', variables = {} } = options.request;
      const { gatewayRequest, omissions, merged } = options.context as unknown as FetchingContext;
      const representations: unknown = variables['representations'];
      const place = restoreNames((options.pathInIncomingRequest ?? []).join('.'));
      const known = new Map<string, readonly FieldNode[]>();
      const fieldsOf = (type: string) => {
        const fields = known.get(type) ?? fieldsIn(parse(query), type, map);
        known.set(type, fields);
        return fields;
      };
      const own = { map, omissions, fieldsOf };
      const ask = (sent: SubgraphRequest['variables']) => fetcher({ query, variables: sent }, gatewayRequest, place);
      if (!Array.isArray(representations)) return { data: await merged.addRoot(rootData(await ask(variables), own)) };
      if (!merged.admits(representations.length)) return { data: null };
      const send = (sent: readonly unknown[]) => ask({ ...variables, representations: sent });
      return { data: await merged.take({ _entities: await fetchEntities(representations, send, own) }) };
    },
  };
}

/** The data of root fields. If there are none, each field has failed. */
function rootData(response: SubgraphResponse, { map, omissions, fieldsOf }: FetchContext): Data {
  const found = response.data ?? {};
  placeFailures(found, response, omissions);
  if (response.data) return found;
  const failure = wholeFailure(response);
  for (const field of fieldsOf('Query')) {
    const isOfSources = map.field('Query', field.name.value)?.type === 'Source';
    found[keyOf(field)] ??= isOfSources ? unansweredSources(field, failure, map) : failure;
  }
  return found;
}

/** All sources, even if the subgraph that lists them failed (architecture 5): the others tell the state of theirs. */
function unansweredSources({ selectionSet }: FieldNode, failure: Failure, map: SupergraphMap): readonly Data[] {
  return SERVICES.flatMap((name) => {
    const { type } = SERVICE_ENTRIES[name].source;
    if (selectionSet === undefined || !map.matches(type, 'Source')) return [];
    return [{ ...sameInAll(fieldsIn(selectionSet, type, map), failure), __typename: type, name }];
  });
}

/** The entities for all representations: an object with nulls for what is not found, with failures for what failed. */
async function fetchEntities(
  representations: readonly Data[],
  send: (sent: readonly unknown[]) => Promise<SubgraphResponse>,
  context: FetchContext,
): Promise<readonly Data[]> {
  const entities: Data[] = new Array(representations.length);
  const lostAt = new Map<number, Data>();
  // Whole representations are compared, not only keys: joins read the other fields too.
  const placesOf = new Map<string, number[]>();
  await forEachInTurns(representations.entries(), ([at, representation]) => {
    const lost = lostFields(representation, context);
    if (lost !== null) lostAt.set(at, lost);
    if (lost !== null && Object.keys(lost).length === context.fieldsOf(typeOf(representation)).length) {
      entities[at] = lost;
      return;
    }
    const text = JSON.stringify(representation);
    const places = placesOf.get(text);
    if (places === undefined) placesOf.set(text, [at]);
    else places.push(at);
  });
  // A resolver gets null for what failed: what the fields that require it answer then is not used.
  const sent = [...placesOf].map(([text, [at = 0]]) => (lostAt.has(at) ? JSON.parse(text) : representations[at]));
  if (sent.length === 0) return entities;
  const response = await send(sent);
  const received = response.data?.['_entities'];
  const found: unknown[] = Array.isArray(received) ? received : sent.map(() => null);
  placeFailures({ _entities: found }, response, context.omissions);
  const whole = response.data ? null : wholeFailure(response);
  for (const [index, places] of [...placesOf.values()].entries()) {
    const entity = entityOf(found[index] ?? whole, context.fieldsOf(typeOf(sent[index])));
    for (const at of places) entities[at] = lostAt.has(at) ? { ...entity, ...lostAt.get(at) } : entity;
  }
  return entities;
}

function typeOf({ __typename: type }: Data): string {
  return String(type);
}

/** The selected fields that failures in a representation take away, by their keys; null if it has none. */
function lostFields(representation: Data, { map, fieldsOf }: FetchContext): Data | null {
  if (failureIn(representation) === undefined) return null;
  const lost: Data = {};
  const type = typeOf(representation);
  const fields = fieldsOf(type);
  for (const [name, value] of Object.entries(representation)) {
    const failure = failureIn(value);
    if (failure === undefined) continue;
    const requiring = fields.filter((field) => map.field(type, field.name.value)?.requires?.has(name) === true);
    // What no field requires is the key, without which there is none.
    for (const field of requiring.length > 0 ? requiring : fields) lost[keyOf(field)] ??= failure;
  }
  return lost;
}

/** What the library merges for an entity: what is missing or failed as a whole is so in each of its fields. */
function entityOf(found: unknown, fields: readonly FieldNode[]): Data {
  if (isRecord(found) && !(found instanceof Failure)) return found;
  const isValue = found === null || found instanceof Failure;
  return sameInAll(fields, isValue ? found : failed(new CodedError('UPSTREAM_INVALID_RESPONSE', NO_ENTITIES)));
}

function sameInAll(fields: readonly FieldNode[], value: unknown): Data {
  return Object.fromEntries(fields.map((field) => [keyOf(field), value]));
}

function keyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** The fields, without `__typename`, that part of a plan selects on an object type; it has no named fragments. */
function fieldsIn(part: DocumentNode | SelectionSetNode, type: string, map: SupergraphMap): readonly FieldNode[] {
  const fields: FieldNode[] = [];
  visit(part, {
    InlineFragment: ({ typeCondition: condition }) =>
      condition !== undefined && !map.matches(type, condition.name.value) ? false : undefined,
    Field(field) {
      if (field.name.value === '_entities') return undefined;
      if (field.name.value !== '__typename') fields.push(field);
      return false;
    },
  });
  return fields;
}

/** The failure of all that a response without data was to answer. */
function wholeFailure({ errors }: SubgraphResponse): Failure {
  return failed(errorOf(errors?.[0]), null);
}

/** Puts the errors of a response into the places of its data, those of one place together. */
function placeFailures(data: Data, { errors = [], omitted }: SubgraphResponse, omissions: Omissions): void {
  omissions.include(omitted);
  const byPlace = new Map<string, GraphQLFormattedError[]>();
  for (const error of errors) {
    const place = JSON.stringify(error.path ?? []);
    const known = byPlace.get(place);
    if (known === undefined) byPlace.set(place, [error]);
    else known.push(error);
  }
  for (const [first, ...more] of byPlace.values()) {
    const path = first?.path ?? [];
    const error = errorOf(first, more);
    // What failed below a whole entity is told of each of its fields.
    const isEntity = (below: ResponsePath) => path[0] === '_entities' && path.length - below.length === 2;
    putFailure(data, path, (below) => failed(error, isEntity(below) ? null : below));
  }
  const unlisted = failed(null);
  for (const path of omitted?.places ?? []) putFailure(data, path, () => unlisted, false);
}

/**
 * The error of a subgraph, which has logged its cause, with what else it says of the same place: a field has one for each
 * mistake in its arguments. One with a code that is not ours is internal.
 */
function errorOf(
  { message, extensions = {} }: GraphQLFormattedError = { message: '' },
  more: readonly GraphQLFormattedError[] = [],
): GraphQLError {
  const { code, ...details } = extensions;
  if (!isOurCode(code) || code === 'INTERNAL')
    return withoutStack(() => new GraphQLError(INTERNAL_MESSAGE, { extensions: { code: 'INTERNAL' } }));
  const further = more.map((error) => errorOf(error)).filter((error) => error instanceof CodedError);
  // The details were checked where they arrived.
  return new CodedError(code, restoreNames(message), { ...(details as CodedErrorDetails), further });
}
