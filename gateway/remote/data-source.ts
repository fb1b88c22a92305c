import type { GraphQLDataSource } from '@apollo/gateway';
import {
  type FieldNode,
  GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { CodedError, type CodedErrorDetails, withoutStack } from '../../kernel/errors.js';
import { walkFields } from '../../kernel/selections.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { isRecord } from '../../kernel/text.js';
import { INTERNAL_MESSAGE, isOurCode, type Omissions, type ResponsePath } from '../../runtime/errors.js';
import { forEachInTurns } from '../../runtime/event-loop/turns.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { contextOf } from '../request/request.js';
import { NO_ENTITIES } from './http-subgraph.js';
import { type Data, Failure, failureIn, type MergedData, putFailure } from './merged-data.js';
import { listsSources, unansweredSources } from './merged-schema.js';
import type { PrivateNames } from './planned-operation.js';
import type { Source } from './subgraphs.js';

/** What the data sources of one gateway share. */
export interface DataSourceContext {
  readonly map: SupergraphMap;
  readonly names: PrivateNames;
  /** What the fetches of a request are merged into, by the request as the library knows it. */
  readonly merging: WeakMap<object, MergedData>;
  /** The fields that joins require below others (`fieldsRequiredBelow`). */
  readonly required: ReadonlySet<string>;
}

/**
 * A subgraph as the library sees it. The library would leak and misplace errors, join with what is left of what a join
 * requires, and send equal representations several times. Here errors are in the data, as failures in the places of
 * values; what requires one fails for the same reason; and equal representations are sent once. Never throws.
 */
export function createDataSource(source: Source, context: DataSourceContext): GraphQLDataSource {
  return {
    async process(options) {
      // Other kinds are introspection and the library's own health checks, which this gateway does not use.
      if (!('incomingRequestContext' in options)) return { data: {} };
      const { query = '', variables = {} } = options.request;
      const merged = context.merging.get(options.incomingRequestContext);
      if (merged === undefined) throw new Error('A fetch of no request.');
      const representations: unknown = variables['representations'];
      const places = (options.pathInIncomingRequest ?? []).map((step) => context.names.restoreName(String(step)));
      const { gatewayRequest, omissions } = contextOf(options.context);
      const selected = getOperationAST(options.document ?? parse(query))?.selectionSet;
      const own = { ...context, omissions, fieldsOf: createFieldReader(selected, context.map) };
      const ask = (sent: SubgraphRequest['variables']) =>
        source({ query, variables: sent }, gatewayRequest, places.join('.'));
      if (!Array.isArray(representations)) return { data: await merged.addRoot(rootData(await ask(variables), own)) };
      if (!merged.admits(representations.length)) return { data: null };
      const send = (sent: readonly unknown[]) => ask({ ...variables, representations: sent });
      return { data: await merged.addEntities(await fetchEntities(representations, send, own)) };
    },
  };
}

/** What a fetch is answered in. */
interface FetchContext extends Pick<DataSourceContext, 'map' | 'names' | 'required'> {
  readonly omissions: Omissions;
  /** Its root fields, or those of entities of a type, by their keys. */
  fieldsOf(type: string | null): ReadonlyMap<string, string>;
}

/** The data of root fields. If there are none, each field has failed. */
function rootData(response: SubgraphResponse, context: FetchContext): Data {
  const found = response.data ?? {};
  placeFailures(found, response, context);
  if (response.data) return found;
  const failure = wholeFailure(response, context);
  for (const [key, name] of context.fieldsOf(null))
    found[key] ??= listsSources(name, context.map) ? unansweredSources(failure, context.map) : failure;
  return found;
}

/** The entities for all representations: an object with nulls for what is not found, with failures for what failed. */
async function fetchEntities(
  representations: readonly unknown[],
  send: (sent: readonly unknown[]) => Promise<SubgraphResponse>,
  context: FetchContext,
): Promise<readonly unknown[]> {
  const entities: unknown[] = new Array(representations.length);
  // Whole representations are compared, not only keys: joins read the other fields too.
  const placesOf = new Map<string, number[]>();
  await forEachInTurns(representations.entries(), ([at, representation]) => {
    const failure = failureIn(representation);
    if (failure !== undefined) {
      entities[at] = entityOf(representation, failure, context);
      return;
    }
    const text = JSON.stringify(representation);
    const places = placesOf.get(text);
    if (places === undefined) placesOf.set(text, [at]);
    else places.push(at);
  });
  const distinct = [...placesOf.values()];
  if (distinct.length === 0) return entities;
  const sent = distinct.map(([at = 0]) => representations[at]);
  const response = await send(sent);
  const received = response.data?.['_entities'];
  const found: unknown[] = Array.isArray(received) ? received : sent.map(() => null);
  placeFailures({ _entities: found }, response, context);
  const failed = response.data ? null : wholeFailure(response, context);
  for (const [index, places] of distinct.entries()) {
    const entity = entityOf(sent[index], found[index] ?? failed, context);
    for (const at of places) entities[at] = entity;
  }
  return entities;
}

/** What the library merges for an entity: what is missing or failed as a whole is so in each of its fields. */
function entityOf(representation: unknown, found: unknown, { fieldsOf, required }: FetchContext): unknown {
  if (isRecord(found) && !(found instanceof Failure)) return found;
  const isValue = found === null || found instanceof Failure;
  const value = isValue ? found : new Failure(new CodedError('UPSTREAM_INVALID_RESPONSE', NO_ENTITIES), required);
  const type = (representation as { readonly __typename?: unknown } | null)?.__typename;
  return Object.fromEntries([...fieldsOf(String(type)).keys()].map((key) => [key, value]));
}

/** Reads the selection of a plan's fetch, without `__typename`. Plans have no named fragments. */
function createFieldReader(selected: SelectionSetNode | undefined, map: SupergraphMap): FetchContext['fieldsOf'] {
  const known = new Map<string | null, ReadonlyMap<string, string>>();

  function read(type: string | null): ReadonlyMap<string, string> {
    const fields = new Map<string, string>();
    const inRoots = { findFragment: () => null };
    const inType = { ...inRoots, applies: (condition: string) => type !== null && map.matches(type, condition) };
    const add = ({ alias, name }: FieldNode) => void fields.set((alias ?? name).value, name.value);
    walkFields(selected ? [selected] : [], inRoots, (root) => {
      if (type === null) add(root);
      else if (root.selectionSet !== undefined) walkFields([root.selectionSet], inType, add);
    });
    fields.delete('__typename');
    return fields;
  }

  return (type) => {
    const fields = known.get(type) ?? read(type);
    known.set(type, fields);
    return fields;
  };
}

/** The failure of all that a response without data was to answer. */
function wholeFailure({ errors }: SubgraphResponse, { names, required }: FetchContext): Failure {
  return new Failure(errorOf(errors?.[0], names), required, null);
}

/** Puts the errors of a response into the places of its data, those of one place together. */
function placeFailures(data: Data, { errors = [], omitted }: SubgraphResponse, context: FetchContext): void {
  const { names, required, omissions } = context;
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
    const error = errorOf(first, names, more);
    // What failed below a whole entity is told of each of its fields.
    const isEntity = (below: ResponsePath) => path[0] === '_entities' && path.length - below.length === 2;
    putFailure(data, path, (below) => new Failure(error, required, isEntity(below) ? null : below));
  }
  const unlisted = new Failure(null, required);
  for (const path of omitted?.places ?? []) putFailure(data, path, () => unlisted, false);
}

/**
 * The error of a subgraph, which has logged its cause, with what else it says of the same place: a field has one for each
 * mistake in its arguments. One with a code that is not ours is internal.
 */
function errorOf(
  { message, extensions = {} }: GraphQLFormattedError = { message: '' },
  names: PrivateNames,
  more: readonly GraphQLFormattedError[] = [],
): GraphQLError {
  const { code, ...details } = extensions;
  if (!isOurCode(code) || code === 'INTERNAL')
    return withoutStack(() => new GraphQLError(INTERNAL_MESSAGE, { extensions: { code: 'INTERNAL' } }));
  const further = more.map((error) => errorOf(error, names)).filter((error) => error instanceof CodedError);
  // The details were checked where they arrived.
  return new CodedError(code, names.restoreText(message), { ...(details as CodedErrorDetails), further });
}
