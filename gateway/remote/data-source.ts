import type { GraphQLDataSource } from '@apollo/gateway';
import { GraphQLError, type GraphQLFormattedError, parse, visit } from 'graphql';
import { CodedError, type CodedErrorDetails, withoutStack } from '../../kernel/errors.js';
import { LISTS_SOURCES, SERVICE_ENTRIES, SERVICES, type ServiceName } from '../../kernel/services.js';
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

/** One fetch of a plan. */
interface Fetch {
  readonly map: SupergraphMap;
  /** The names of the fields that it selects at its root, or on entities of a type, by their keys in its data. */
  fieldsOf(type: string): ReadonlyMap<string, string>;
  /**
   * Sends it, and puts failures into the places of its data; into those of `blank` if it has none: what is missing there
   * failed as a `whole`.
   */
  ask(blank: Data, variables?: Data): Promise<{ readonly data: Data; readonly whole: Failure | null }>;
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
      const fetch: Fetch = {
        map,
        fieldsOf: createFieldReader(query, map),
        async ask(blank, more = {}) {
          const response = await fetcher({ query, variables: { ...variables, ...more } }, gatewayRequest, place);
          const data = response.data ?? blank;
          placeFailures(data, response, omissions);
          return { data, whole: response.data ? null : failed(errorOf(response.errors?.[0])) };
        },
      };
      const representations: unknown = variables['representations'];
      if (Array.isArray(representations) && !merged.admits(representations.length)) return { data: null };
      if (Array.isArray(representations))
        return { data: await merged.take({ _entities: await fetchEntities(representations, fetch) }) };
      const { data, whole } = await fetch.ask({});
      return { data: await merged.addRoot(whole ? { ...unanswered('Query', whole, fetch), ...data } : data) };
    },
  };
}

/** Reads the fields, without `__typename`, that a fetch selects at its root, or on entities of a type. */
function createFieldReader(query: string, map: SupergraphMap): Fetch['fieldsOf'] {
  const known = new Map<string, ReadonlyMap<string, string>>();
  return (type) => {
    const before = known.get(type);
    if (before !== undefined) return before;
    const fields = new Map<string, string>();
    // A plan has no named fragments.
    visit(parse(query), {
      InlineFragment: ({ typeCondition: of }) => (of && !map.matches(type, of.name.value) ? false : undefined),
      Field({ alias, name }) {
        if (name.value === '_entities') return undefined;
        if (name.value !== '__typename') fields.set((alias ?? name).value, name.value);
        return false;
      },
    });
    known.set(type, fields);
    return fields;
  };
}

/** The entities for all representations: an object with nulls for what is not found, with failures for what failed. */
async function fetchEntities(representations: readonly Data[], fetch: Fetch): Promise<readonly Data[]> {
  const sent: Data[] = [];
  // Whole representations are compared, not only keys: joins read the other fields too. What is not sent has no text.
  const known = new Map([['', -1]]);
  const places: { readonly index: number; readonly lost: Data | null }[] = [];
  await forEachInTurns(representations, (representation) => {
    const lost = lostFields(representation, fetch);
    const isAllLost = lost !== null && Object.keys(lost).length === fetch.fieldsOf(typeOf(representation)).size;
    const text = isAllLost ? '' : JSON.stringify(representation);
    // A resolver gets null for what failed: what the fields that require it answer then is not used.
    const index = known.get(text) ?? sent.push(lost === null ? representation : JSON.parse(text)) - 1;
    known.set(text, index);
    places.push({ index, lost });
  });
  const entities = sent.length === 0 ? [] : await entitiesOf(sent, fetch);
  return places.map(({ index, lost }) => ({ ...entities[index], ...lost }));
}

/** The entities for what is sent. What is missing or failed as a whole is so in each of its fields. */
async function entitiesOf(sent: readonly Data[], fetch: Fetch): Promise<readonly Data[]> {
  const { data, whole } = await fetch.ask({ _entities: sent.map(() => null) }, { representations: sent });
  // The fetcher has counted them. What failed in their place is each of them.
  const found = data['_entities'] as readonly unknown[];
  const odd = failed(new CodedError('UPSTREAM_INVALID_RESPONSE', NO_ENTITIES));
  return sent.map((representation, index) => {
    const value = found[index] ?? whole;
    const isMissing = value === null || value instanceof Failure;
    return isRecord(value) && !isMissing ? value : unanswered(typeOf(representation), isMissing ? value : odd, fetch);
  });
}

function typeOf({ __typename: type }: Data): string {
  return String(type);
}

/**
 * What is not found or failed as a whole is so in each field. But of a source, the name is known, and that it is DOWN,
 * under the names of its fields, whatever the client calls them (`merged-data.ts`); and all sources are listed, even if
 * the subgraph that lists them failed: the others tell the state of theirs.
 */
function unanswered(type: string, why: Failure | null, { map, fieldsOf }: Fetch): Data {
  const known = (name: ServiceName, isDown: boolean) => {
    const down = isDown && { state: 'DOWN', detail: why?.error?.message };
    return { __typename: SERVICE_ENTRIES[name].source.type, id: name, name, ...down };
  };
  const own = SERVICES.find((name) => SERVICE_ENTRIES[name].source.type === type);
  if (why?.error && own !== undefined) return known(own, true);
  const list = () => SERVICES.map((name) => known(name, name === LISTS_SOURCES));
  const answerTo = (field: string) => (why?.error && map.field(type, field)?.type === 'Source' ? list() : why);
  return Object.fromEntries(Array.from(fieldsOf(type), ([key, field]) => [key, answerTo(field)]));
}

/** The selected fields that failures in a representation take away, by their keys; null if it has none. */
function lostFields(representation: Data, { map, fieldsOf }: Fetch): Data | null {
  const missing = Object.keys(representation).filter((name) => failureIn(representation[name]) !== undefined);
  if (missing.length === 0) return null;
  const type = typeOf(representation);
  const fields = fieldsOf(type);
  const requires = (field: string, one: string) => map.field(type, field)?.requires?.has(one) === true;
  // What no field requires is the key, without which there is none.
  const ofKey = missing.find((name) => ![...fields.values()].some((field) => requires(field, name)));
  const lost: Data = {};
  for (const [key, field] of fields) {
    const why = missing.find((name) => requires(field, name)) ?? ofKey;
    if (why !== undefined) lost[key] = failureIn(representation[why]);
  }
  return lost;
}

/** Puts the errors of a response into the places of its data, those of one place together. */
function placeFailures(data: Data, { errors = [], omitted }: SubgraphResponse, omissions: Omissions): void {
  omissions.include(omitted);
  const byPlace = new Map<string, GraphQLFormattedError[]>();
  for (const error of errors) {
    const place = JSON.stringify(error.path ?? []);
    const listed = byPlace.get(place) ?? [];
    byPlace.set(place, listed);
    listed.push(error);
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
