import { type GraphQLFormattedError, OperationTypeNode } from 'graphql';
import { SERVICE_ENTRIES, SERVICES, type ServiceName } from '../../kernel/services.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { createErrorList, createOmissions, type ErrorList } from '../../runtime/errors.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { type FieldNames, readSelection, type Selection } from './selection.js';

/** The interface whose state is reported even if its subgraph cannot be reached (architecture 5). */
const SOURCE = 'Source';

/** The service behind each type of that interface: sources are listed even if the subgraph that lists them is down. */
const SOURCE_NAMES: ReadonlyMap<string, ServiceName> = new Map(
  SERVICES.map((name) => [SERVICE_ENTRIES[name].source.type, name]),
);

/**
 * The response that replaces a failed one: an error for each root field, or for each field of each representation, so
 * that every error has a path. A source, in a list or by reference, is no error: it gets the state DOWN.
 */
export function failRequest(
  request: SubgraphRequest,
  error: GraphQLFormattedError,
  supergraph: SupergraphMap,
): SubgraphResponse {
  const selection = readSelection(request);
  const representations = representationsOf(request);
  if (representations === null) return failRootFields(selection, error, supergraph);
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  const failEntity = entityFailure(selection, supergraph);
  const failed = representations.map((representation) => failEntity(representation, error));
  for (const [index, { failedFields }] of failed.entries()) addEntityErrors(list, error, index, failedFields);
  const anyState = failed.some(({ entity }) => entity !== null);
  const data = anyState ? { _entities: failed.map(({ entity }) => entity) } : null;
  return { data, errors: list.errors, omitted: omissions.read() };
}

/** An error for each field, except a list of sources, whose references their own subgraphs resolve. */
function failRootFields(
  { rootFields, fieldsBelow }: Selection,
  error: GraphQLFormattedError,
  supergraph: SupergraphMap,
): SubgraphResponse {
  const types = [...SOURCE_NAMES.keys()].filter((type) => supergraph.matches(type, SOURCE));
  const query = supergraph.rootType(OperationTypeNode.QUERY);
  const isList = (name: string) => types.length > 0 && supergraph.field(query, name)?.type === SOURCE;
  const listed = [...rootFields].map(([key, name]) => {
    const fieldsOf = (type: string) => fieldsBelow(key, (condition) => supergraph.matches(type, condition));
    return [key, isList(name) ? types.map((type) => downSource(type, fieldsOf(type), error)) : null] as const;
  });
  const failed = listed.flatMap(([key, list]) => (list === null ? [{ ...error, path: [key] }] : []));
  if (failed.length === listed.length) return { data: null, errors: failed };
  return { data: Object.fromEntries(listed), ...(failed.length > 0 && { errors: failed }) };
}

/** A source of which only the name is known, and why it is down. */
function downSource(type: string, fields: FieldNames, { message }: GraphQLFormattedError): Record<string, unknown> {
  const name = SOURCE_NAMES.get(type) ?? null;
  const known: Readonly<Record<string, unknown>> = {
    ...{ __typename: type, id: name, name },
    ...{ state: 'DOWN', detail: message },
  };
  const selected = [...fields].map(([key, field]) => [key, known[field] ?? null]);
  return { __typename: type, ...Object.fromEntries(selected) };
}

/**
 * Moves each error of an entity (its reference resolver failed) to the fields selected on it, which are the joined
 * fields of the client's query. A reference to a source gets the state DOWN instead.
 */
export function failEntities(
  request: SubgraphRequest,
  response: SubgraphResponse,
  supergraph: SupergraphMap,
): SubgraphResponse {
  const isEntityError = ({ path }: GraphQLFormattedError) => path?.[0] === '_entities' && path.length === 2;
  const representations = representationsOf(request);
  if (representations === null || response.errors?.some(isEntityError) !== true) return response;
  const failEntity = entityFailure(readSelection(request), supergraph);
  const received = response.data?.['_entities'];
  const entities: unknown[] = Array.isArray(received) ? [...received] : representations.map(() => null);
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  omissions.include(response.omitted);
  for (const error of response.errors) {
    const index = error.path?.[1];
    if (isEntityError(error) && typeof index === 'number') {
      const { entity, failedFields } = failEntity(representations[index], error);
      entities[index] = entity;
      addEntityErrors(list, error, index, failedFields);
    } else {
      list.add(error.path, () => error);
    }
  }
  return { data: { ...response.data, _entities: entities }, errors: list.errors, omitted: omissions.read() };
}

interface FailedEntity {
  readonly entity: Record<string, unknown> | null;
  readonly failedFields: readonly string[];
}

/** A function that fails single entities. The fields selected on a type are read once, not for each entity. */
function entityFailure(selection: Selection, supergraph: SupergraphMap) {
  const fieldsOf = new Map<string, FieldNames>();

  return (representation: unknown, error: GraphQLFormattedError): FailedEntity => {
    const type = typeNameOf(representation);
    const fields =
      fieldsOf.get(type) ?? selection.fieldsBelow('_entities', (condition) => supergraph.matches(type, condition));
    fieldsOf.set(type, fields);
    if (supergraph.matches(type, SOURCE)) return { entity: downSource(type, fields, error), failedFields: [] };
    return { entity: null, failedFields: [...fields].flatMap(([key, name]) => (name === '__typename' ? [] : [key])) };
  };
}

function addEntityErrors(
  list: ErrorList<GraphQLFormattedError>,
  error: GraphQLFormattedError,
  index: number,
  keys: readonly string[],
): void {
  for (const key of keys) {
    const path = ['_entities', index, key];
    list.add(path, () => ({ ...error, path }));
  }
}

function representationsOf({ variables }: SubgraphRequest): readonly unknown[] | null {
  const representations = variables?.['representations'];
  return Array.isArray(representations) ? representations : null;
}

function typeNameOf(representation: unknown): string {
  const name = (representation as { readonly __typename?: unknown } | null)?.__typename;
  return typeof name === 'string' ? name : '';
}
