import type { GraphQLDataSource } from '@apollo/gateway';
import {
  type FieldNode,
  GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { CodedError, type CodedErrorDetails, withoutStack } from '../../kernel/errors.js';
import { walkFields } from '../../kernel/selections.js';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { isRecord } from '../../kernel/text.js';
import { INTERNAL_MESSAGE, isOurCode, type Omissions, type ResponsePath } from '../../runtime/errors.js';
import { forEachInTurns } from '../../runtime/event-loop/turns.js';
import type { SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { contextOf } from '../request/request.js';
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
      const { gatewayRequest, omissions } = contextOf(options.context);
      // The library passes on what `fetch` puts there, untyped.
      const merged = options.context['merged'] as MergedData;
      const place = restoreNames((options.pathInIncomingRequest ?? []).join('.'));
      const own = { map, omissions, fieldsOf: createFieldReader(query, map) };
      const ask = (more: Data = {}) => fetcher({ query, variables: { ...variables, ...more } }, gatewayRequest, place);
      const representations: unknown = variables['representations'];
      if (!Array.isArray(representations)) return { data: await merged.addRoot(rootData(await ask(), own)) };
      if (!merged.admits(representations.length)) return { data: null };
      return { data: await merged.take({ _entities: await fetchEntities(representations, ask, own) }) };
    },
  };
}

function createFieldReader(query: string, map: SupergraphMap): FetchContext['fieldsOf'] {
  // Each fetch of a plan is one operation, without named fragments.
  const rootOf = () => (parse(query).definitions[0] as OperationDefinitionNode).selectionSet;
  const known = new Map<string, readonly FieldNode[]>();
  return (type) => {
    const fields = known.get(type) ?? fieldsIn(rootOf(), type, map);
    known.set(type, fields);
    return fields;
  };
}

/** The fields, without `__typename`, that part of a plan selects on an object type; it has no named fragments. */
function fieldsIn(set: SelectionSetNode, type: string, map: SupergraphMap): readonly FieldNode[] {
  const fields: FieldNode[] = [];
  const rules = { findFragment: () => null, applies: (condition: string) => map.matches(type, condition) };
  walkFields([set], rules, (field) => {
    if (field.name.value === '_entities' && field.selectionSet) fields.push(...fieldsIn(field.selectionSet, type, map));
    else if (field.name.value !== '__typename') fields.push(field);
  });
  return fields;
}

function keyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** The data of root fields. If there are none, each field has failed. */
function rootData(response: SubgraphResponse, context: FetchContext): Data {
  const found = response.data ?? {};
  placeFailures(found, response, context.omissions);
  return response.data ? found : { ...unanswered('Query', failed(errorOf(response.errors?.[0])), context), ...found };
}

/** The entities for all representations: an object with nulls for what is not found, with failures for what failed. */
async function fetchEntities(
  representations: readonly Data[],
  ask: (more: Data) => Promise<SubgraphResponse>,
  context: FetchContext,
): Promise<readonly Data[]> {
  const sent: Data[] = [];
  // Whole representations are compared, not only keys: joins read the other fields too.
  const known = new Map<string, number>();
  const places: { readonly index: number; readonly lost: Data | null }[] = [];
  await forEachInTurns(representations, (representation) => {
    const lost = lostFields(representation, context);
    const isAllLost = lost !== null && Object.keys(lost).length === context.fieldsOf(typeOf(representation)).length;
    const text = isAllLost ? '' : JSON.stringify(representation);
    let index = isAllLost ? -1 : known.get(text);
    // A resolver gets null for what failed: what the fields that require it answer then is not used.
    index ??= sent.push(lost === null ? representation : JSON.parse(text)) - 1;
    known.set(text, index);
    places.push({ index, lost });
  });
  const entities = sent.length === 0 ? [] : entitiesOf(sent, await ask({ representations: sent }), context);
  return places.map(({ index, lost }) => ({ ...entities[index], ...lost }));
}

/** The entities of a response for what was sent. What is missing or failed as a whole is so in each of its fields. */
function entitiesOf(sent: readonly Data[], response: SubgraphResponse, context: FetchContext): readonly Data[] {
  const received = response.data?.['_entities'];
  const found: unknown[] = Array.isArray(received) ? received : sent.map(() => null);
  placeFailures({ _entities: found }, response, context.omissions);
  const whole = response.data ? null : failed(errorOf(response.errors?.[0]));
  return sent.map((representation, index) => {
    const value = found[index] ?? whole;
    const isMissing = value === null || value instanceof Failure;
    if (isRecord(value) && !isMissing) return value;
    const failure = isMissing ? value : failed(new CodedError('UPSTREAM_INVALID_RESPONSE', NO_ENTITIES));
    return unanswered(typeOf(representation), failure, context);
  });
}

function typeOf({ __typename: type }: Data): string {
  return String(type);
}

/** The service behind each type of the interface `Source`. */
const SOURCES: ReadonlyMap<string, string> = new Map(SERVICES.map((name) => [SERVICE_ENTRIES[name].source.type, name]));

/**
 * What is not found or failed as a whole is so in each field. But of a source, the name is known, and that it is DOWN;
 * and all sources are listed, even if the subgraph that lists them failed: the others tell the state of theirs.
 */
function unanswered(type: string, why: Failure | null, context: FetchContext, fields = context.fieldsOf(type)): Data {
  const name = SOURCES.get(type);
  const known: Data = { id: name, name, state: 'DOWN', detail: why?.error?.message };
  const sourcesIn = (set: SelectionSetNode) =>
    Array.from(SOURCES, ([one, name]) => {
      return { ...unanswered(one, why, context, fieldsIn(set, one, context.map)), __typename: one, name };
    });
  const answer = ({ name: { value: field }, selectionSet }: FieldNode) => {
    if (!why?.error) return why;
    if (name !== undefined) return known[field] ?? null;
    return selectionSet && context.map.field(type, field)?.type === 'Source' ? sourcesIn(selectionSet) : why;
  };
  return Object.fromEntries(fields.map((field) => [keyOf(field), answer(field)]));
}

/** The selected fields that failures in a representation take away, by their keys; null if it has none. */
function lostFields(representation: Data, { map, fieldsOf }: FetchContext): Data | null {
  const missing = Object.keys(representation).filter((name) => failureIn(representation[name]) !== undefined);
  if (missing.length === 0) return null;
  const type = typeOf(representation);
  const fields = fieldsOf(type);
  const requires = ({ name }: FieldNode, one: string) => map.field(type, name.value)?.requires?.has(one) === true;
  // What no field requires is the key, without which there is none.
  const ofKey = missing.find((name) => !fields.some((field) => requires(field, name)));
  const lost: Data = {};
  for (const field of fields) {
    const why = missing.find((name) => requires(field, name)) ?? ofKey;
    if (why !== undefined) lost[keyOf(field)] = failureIn(representation[why]);
  }
  return lost;
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
    putFailure(data, path, (below) => failed(error, isEntity(below) ? [] : below));
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
