import { type FieldNode, type GraphQLFormattedError, getOperationAST, OperationTypeNode, parse } from 'graphql';
import { defaultsOf, fragmentsOf, walkFields } from '../../kernel/selections.js';
import { SERVICE_ENTRIES, SERVICES, type ServiceName } from '../../kernel/services.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { createErrorList, createOmissions } from '../../runtime/errors.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';

/*
 * What replaces the response to a fetch that failed, or the entities in it that did. The library knows errors of fetches
 * and of entities; clients know errors of fields. So an error without a field becomes one of each field that the fetch
 * selects: of the root, or of each entity. A source, in a list or by reference, is no error: it gets the state DOWN.
 */

/** The interface whose state is reported even if its subgraph cannot be reached (architecture 5). */
const SOURCE = 'Source';

/** The service behind each type of that interface: sources are listed even if the subgraph that lists them is down. */
const SOURCE_NAMES: ReadonlyMap<string, ServiceName> = new Map(
  SERVICES.map((name) => [SERVICE_ENTRIES[name].source.type, name]),
);

/** The response that replaces a failed one: every error has a path. */
export function failRequest(
  request: SubgraphRequest,
  error: GraphQLFormattedError,
  supergraph: SupergraphMap,
): SubgraphResponse {
  const representations = representationsOf(request);
  if (representations === null) return failRootFields(request, error, supergraph);
  const errors = representations.map((_, index) => ({ ...error, path: ['_entities', index] }));
  return failEntities(request, { data: null, errors }, supergraph);
}

/** An error for each field, except a list of sources, whose references their own subgraphs resolve. */
function failRootFields(
  request: SubgraphRequest,
  error: GraphQLFormattedError,
  supergraph: SupergraphMap,
): SubgraphResponse {
  const { rootFields, fieldsBelow } = readSelection(request);
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
    __typename: type,
    id: name,
    name,
    state: 'DOWN',
    detail: message,
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
  const { fieldsBelow } = readSelection(request);
  // Read once for each type, not for each entity.
  const fieldsOf = new Map<string, FieldNames>();
  const received = response.data?.['_entities'];
  const entities: unknown[] = Array.isArray(received) ? [...received] : representations.map(() => null);
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  omissions.include(response.omitted);
  for (const error of response.errors) {
    const index = error.path?.[1];
    if (!isEntityError(error) || typeof index !== 'number') {
      list.add(error.path, () => error);
      continue;
    }
    const type = typeNameOf(representations[index]);
    const fields = fieldsOf.get(type) ?? fieldsBelow('_entities', (condition) => supergraph.matches(type, condition));
    fieldsOf.set(type, fields);
    const isSource = supergraph.matches(type, SOURCE);
    entities[index] = isSource ? downSource(type, fields, error) : null;
    for (const [key, name] of fields) {
      const path = ['_entities', index, key];
      if (!isSource && name !== '__typename') list.add(path, () => ({ ...error, path }));
    }
  }
  const isNothing = !response.data && entities.every((entity) => entity === null);
  const data = isNothing ? null : { ...response.data, _entities: entities };
  return { data, errors: list.errors, omitted: omissions.read() };
}

function representationsOf({ variables }: SubgraphRequest): readonly unknown[] | null {
  const representations = variables?.['representations'];
  return Array.isArray(representations) ? representations : null;
}

function typeNameOf(representation: unknown): string {
  const name = (representation as { readonly __typename?: unknown } | null)?.__typename;
  return typeof name === 'string' ? name : '';
}

/** Names of fields by their response keys. */
type FieldNames = ReadonlyMap<string, string>;

/** What an operation of a query plan selects, without skipped fields. */
interface Selection {
  /** Response keys and names of the root fields. */
  readonly rootFields: FieldNames;
  /** The fields below a root field, `__typename` included, by the type conditions that an object matches. */
  fieldsBelow(rootKey: string, matches: (condition: string) => boolean): FieldNames;
}

/** Reads the selection from the operation's text. Only failures need it, so it is not cached. */
function readSelection({ query, variables, operationName }: SubgraphRequest): Selection {
  const document = parse(query, { noLocation: true });
  const root = getOperationAST(document, operationName);
  const fragments = fragmentsOf(document);
  const scope = {
    findFragment: (name: string) => fragments.get(name),
    flags: { ...(root && defaultsOf(root)), ...variables },
  };
  const rootFields: FieldNode[] = [];
  if (root) walkFields([root.selectionSet], scope, (field) => rootFields.push(field));
  return {
    rootFields: new Map(
      rootFields.flatMap((field) =>
        field.name.value === '__typename' ? [] : [[responseKey(field), field.name.value]],
      ),
    ),
    fieldsBelow(rootKey, applies) {
      const names = new Map<string, string>();
      const sets = rootFields.flatMap((field) =>
        field.selectionSet !== undefined && responseKey(field) === rootKey ? [field.selectionSet] : [],
      );
      walkFields(sets, { ...scope, applies }, (field) => names.set(responseKey(field), field.name.value));
      return names;
    },
  };
}

function responseKey({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
