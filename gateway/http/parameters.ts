import { isRecord } from '../../kernel/json.js';
import { oneValue } from '../../kernel/text.js';
import { DOCUMENT_BOUNDS, refuseDocument } from '../../runtime/http/document-bounds.js';
import { parseJson } from './json-body.js';
import { RequestError } from './request-error.js';

/** The parameters of one GraphQL request, independent of the transport. */
export interface GraphqlParameters {
  readonly query: string | undefined;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown> | undefined;
  readonly extensions: Record<string, unknown> | undefined;
}

/** Longest operation name, in characters: messages repeat it. */
const NAME_LENGTH = 1_000;

/** Reads the parameters of a POST, a JSON object. Throws a RequestError for anything else, including batches. */
export function readBodyParameters(body: unknown): GraphqlParameters {
  if (Array.isArray(body)) throw new RequestError(400, 'Send one operation per request; batches are not supported.');
  if (!isRecord(body)) throw new RequestError(400, 'The body must be a JSON object with a `query`.');
  return checkParameters({
    query: optional(body, 'query', isText, 'text'),
    operationName: optional(body, 'operationName', isText, 'text') || undefined,
    variables: optional(body, 'variables', isRecord, 'an object'),
    extensions: optional(body, 'extensions', isRecord, 'an object'),
  });
}

/** Reads the parameters of a GET, with `variables` and `extensions` as JSON. Throws a RequestError or CodedError. */
export function readQueryParameters(search: URLSearchParams): GraphqlParameters {
  return checkParameters({
    query: oneValue(search, 'query'),
    operationName: oneValue(search, 'operationName') || undefined,
    variables: jsonObject(search, 'variables'),
    extensions: jsonObject(search, 'extensions'),
  });
}

/** Throws a RequestError for a document that would be too expensive to parse or validate. */
function checkDocument(document: string): void {
  const refused = refuseDocument(document, DOCUMENT_BOUNDS);
  if (refused !== null) throw new RequestError(refused.status, refused.message, refused);
}

function checkParameters(parameters: GraphqlParameters): GraphqlParameters {
  const { query, operationName, variables, extensions } = parameters;
  if (!query && extensions?.['persistedQuery'] === undefined) {
    throw new RequestError(400, 'The request has no `query`.');
  }
  if (query !== undefined) checkDocument(query);
  if (operationName !== undefined && operationName.length > NAME_LENGTH) {
    throw new RequestError(400, `\`operationName\` is longer than ${NAME_LENGTH} characters.`);
  }
  checkVariables(variables);
  return { query: query || undefined, operationName, variables, extensions: readExtensions(extensions) };
}

/** The hash that a client sends for the text of a persisted query; undefined if there is none. */
export function persistedHashOf({ extensions }: Pick<GraphqlParameters, 'extensions'>): string | undefined {
  const { sha256Hash } = (extensions?.['persistedQuery'] ?? {}) as { sha256Hash?: unknown };
  return isText(sha256Hash) ? sha256Hash : undefined;
}

/**
 * Code generators write the algorithm before a hash. Apollo would refuse what is refused here without an error code,
 * which would look like an internal error.
 */
function readExtensions(extensions: GraphqlParameters['extensions']): GraphqlParameters['extensions'] {
  const persisted = extensions?.['persistedQuery'];
  if (persisted === undefined) return extensions;
  if (!isRecord(persisted)) throw new RequestError(400, '`extensions.persistedQuery` must be an object.');
  const { version, sha256Hash } = persisted;
  if (version !== 1 || !isText(sha256Hash)) {
    throw new RequestError(400, '`extensions.persistedQuery` must have `version` 1 and a `sha256Hash`.');
  }
  return { persistedQuery: { version, sha256Hash: sha256Hash.replace(/^sha256:/, '') } };
}

/**
 * JSON can encode a lone surrogate, which is not valid text and fits into no URL; and a number beyond the range of
 * doubles, which would be serialized as null, so that both would share what is cached for these variables.
 */
function checkVariables(value: unknown): void {
  if (isText(value) && /\p{Surrogate}/u.test(value)) {
    throw new RequestError(400, '`variables` hold text that is not Unicode.');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RequestError(400, '`variables` hold a number that is too large.');
  }
  if (typeof value !== 'object' || value === null) return;
  // The depth of the JSON was checked before it was parsed.
  for (const part of Object.values(value)) checkVariables(part);
}

function optional<T>(
  body: Record<string, unknown>,
  name: string,
  isValid: (value: unknown) => value is T,
  expected: string,
): T | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isValid(value)) throw new RequestError(400, `\`${name}\` must be ${expected}.`);
  return value;
}

function jsonObject(search: URLSearchParams, name: string): Record<string, unknown> | undefined {
  const text = oneValue(search, name);
  if (text === undefined || text === '') return undefined;
  return optional({ [name]: parseJson(text, `\`${name}\``) }, name, isRecord, 'an object');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
