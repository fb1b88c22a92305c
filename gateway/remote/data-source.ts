import type { GraphQLDataSource } from '@apollo/gateway';
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
  OperationTypeNode,
  parse,
} from 'graphql';
import { CodedError, type CodedErrorDetails, withoutStack } from '../../kernel/errors.js';
import { fragmentsOf, walkFields } from '../../kernel/selections.js';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { INTERNAL_MESSAGE, isOurCode, type Omissions, type ResponsePath } from '../../runtime/errors.js';
import { forEachInTurns } from '../../runtime/event-loop/turns.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { contextOf } from '../request/request.js';
import { type Data, Failure, failureIn, type MergedData, putFailure } from './merged-data.js';
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
  const selections = new WeakMap<DocumentNode, Selection>();

  function selectionOf(document: DocumentNode): Selection {
    const selection = selections.get(document) ?? readSelection(document, context.map);
    selections.set(document, selection);
    return selection;
  }

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
      const own = { ...context, omissions, selection: selectionOf(options.document ?? parse(query)) };
      const ask = (sent: SubgraphRequest['variables']) =>
        source({ query, variables: sent }, gatewayRequest, places.join('.'));
      if (!Array.isArray(representations)) return { data: await merged.addRoot(rootData(await ask(variables), own)) };
      if (!merged.admits(representations.length)) return { data: null };
      const entities = await fetchEntities(
        representations,
        (sent) => ask({ ...variables, representations: sent }),
        own,
      );
      return { data: await merged.addEntities(entities) };
    },
  };
}

/** What a fetch is answered in. */
interface FetchContext extends Pick<DataSourceContext, 'map' | 'names' | 'required'> {
  readonly omissions: Omissions;
  readonly selection: Selection;
}

/** The data of root fields. If there are none, each field has failed. */
function rootData(response: SubgraphResponse, context: FetchContext): Data {
  const { root, below } = context.selection;
  const found: Data = response.data ?? fill(root, null);
  placeFailures(found, response, context);
  if (response.data) return found;
  const [error] = response.errors ?? [];
  const failure = new Failure(errorOf(error, context.names), context.required);
  for (const [key, name] of root) {
    const sources = sourcesListedBy(name, context)?.map((type) => downSource(type, below(key, type), error));
    found[key] ??= sources ?? failure;
  }
  return found;
}

/** The types of sources if the root field of this name lists them; undefined otherwise. */
function sourcesListedBy(name: string, { map }: FetchContext): readonly string[] | undefined {
  const isList = map.field(map.rootType(OperationTypeNode.QUERY), name)?.type === SOURCE;
  return isList ? [...SOURCE_TYPES.keys()].filter((type) => map.matches(type, SOURCE)) : undefined;
}

/** The entities for all representations: an object with nulls for what is not found, with failures for what failed. */
async function fetchEntities(
  representations: readonly unknown[],
  send: (sent: readonly unknown[]) => Promise<SubgraphResponse>,
  context: FetchContext,
): Promise<readonly unknown[]> {
  const { below } = context.selection;
  const fieldsOf = (representation: unknown) => below('_entities', typeNameOf(representation));
  const entities: unknown[] = new Array(representations.length);
  // Whole representations are compared, not only keys: joins read the other fields too.
  const placesOf = new Map<string, number[]>();
  await forEachInTurns(representations.entries(), ([at, representation]) => {
    const failure = failureIn(representation);
    if (failure !== undefined) {
      entities[at] = fill(fieldsOf(representation), failure);
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
  const failed = response.data ? null : new Failure(errorOf(response.errors?.[0], context.names), context.required);
  for (const [index, places] of distinct.entries()) {
    const entity = entityOf(found[index] ?? failed, sent[index], fieldsOf(sent[index]), context);
    for (const at of places) entities[at] = entity;
  }
  return entities;
}

/** What the library merges for an entity: the failure of a whole one is in each of its fields; a source has a state. */
function entityOf(found: unknown, representation: unknown, fields: FieldNames, { map }: FetchContext): unknown {
  if (found !== null && !(found instanceof Failure)) return found;
  const type = typeNameOf(representation);
  if (found !== null && found.error !== null && map.matches(type, SOURCE)) return downSource(type, fields, found.error);
  return fill(fields, found);
}

function fill(fields: FieldNames, value: Failure | null): Data {
  return Object.fromEntries([...fields.keys()].filter((key) => key !== '__typename').map((key) => [key, value]));
}

/** Puts the errors of a response into the places of its data, those of one place together. */
function placeFailures(data: Data, { errors = [], omitted }: SubgraphResponse, context: FetchContext): void {
  context.omissions.include(omitted);
  const byPlace = new Map<string, GraphQLFormattedError[]>();
  for (const error of errors) {
    const place = JSON.stringify(error.path ?? []);
    const known = byPlace.get(place);
    if (known === undefined) byPlace.set(place, [error]);
    else known.push(error);
  }
  for (const [first, ...more] of byPlace.values()) {
    const path = first?.path ?? [];
    const error = errorOf(first, context.names, more);
    // What failed below a whole entity is told of each of its fields.
    const isEntity = (below: ResponsePath) => path[0] === '_entities' && path.length - below.length === 2;
    putFailure(data, path, (below) => new Failure(error, context.required, isEntity(below) ? [] : below));
  }
  if (omitted === undefined) return;
  const unlisted = new Failure(null, context.required);
  for (const { path } of omitted.places) putFailure(data, path, () => unlisted, false);
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

/** The interface whose state is reported even if its subgraph cannot be reached (architecture 5). */
const SOURCE = 'Source';

/** The service behind each type of that interface: sources are listed even if the subgraph that lists them is down. */
const SOURCE_TYPES: ReadonlyMap<string, string> = new Map(
  SERVICES.map((name) => [SERVICE_ENTRIES[name].source.type, name]),
);

/** A source of which only the name is known, and why it is down. That is no error. */
function downSource(type: string, fields: FieldNames, error: { readonly message: string } | undefined): Data {
  const name = SOURCE_TYPES.get(type) ?? null;
  const known: Data = { __typename: type, id: name, name, state: 'DOWN', detail: error?.message ?? null };
  const selected = [...fields].map(([key, field]) => [key, known[field] ?? null]);
  return { __typename: type, ...Object.fromEntries(selected) };
}

function typeNameOf(representation: unknown): string {
  const name = (representation as { readonly __typename?: unknown } | null)?.__typename;
  return typeof name === 'string' ? name : '';
}

/** Names of fields by their response keys. */
type FieldNames = ReadonlyMap<string, string>;

/** What an operation of a query plan selects. */
interface Selection {
  readonly root: FieldNames;
  /** The fields below a root field, `__typename` included, for objects of this type. */
  below(rootKey: string, type: string): FieldNames;
}

function readSelection(document: DocumentNode, map: SupergraphMap): Selection {
  const operation = getOperationAST(document);
  const fragments = fragmentsOf(document);
  const findFragment = (name: string) => fragments.get(name);
  const rootFields: FieldNode[] = [];
  if (operation) walkFields([operation.selectionSet], { findFragment }, (field) => rootFields.push(field));
  const known = new Map<string, FieldNames>();

  function read(rootKey: string, type: string): FieldNames {
    const names = new Map<string, string>();
    const sets = rootFields.flatMap((field) => (keyOf(field) === rootKey ? (field.selectionSet ?? []) : []));
    const walk = { findFragment, applies: (condition: string) => map.matches(type, condition) };
    walkFields(sets, walk, (field) => names.set(keyOf(field), field.name.value));
    return names;
  }

  return {
    root: new Map(rootFields.map((field) => [keyOf(field), field.name.value])),
    below(rootKey, type) {
      const name = `${rootKey} ${type}`;
      const fields = known.get(name) ?? read(rootKey, type);
      known.set(name, fields);
      return fields;
    },
  };
}

function keyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}
