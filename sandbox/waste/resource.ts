import { type DocumentNode, execute, GraphQLError, parse, validate } from 'graphql';
import { BodyTooLarge } from '../server/body.js';
import { isRecord } from '../server/is-record.js';
import { jsonReply, type Reply, textReply } from '../server/reply.js';
import type { ServiceRequest } from '../server/routes.js';
import type { Json } from '../world/types.js';
import type { Platform } from './platform.js';
import { excessOf, failed, MAX_OPERATIONS, type Result } from './resource-limits.js';
import { type ResourceContext, resourceRoot, resourceSchema } from './resource-schema.js';

/** The largest payload (waste-identity 5.3). */
const PAYLOAD_LIMIT = 1024 * 1024;

/** POST and GET `/`: the resource API in GraphQL, where failed authentication has status 200 (waste-identity 5). */
export async function handleGraphql(request: ServiceRequest, platform: Platform): Promise<Reply> {
  if (!isPreflighted(request)) return graphqlError(400, 'BAD_REQUEST', CSRF_MESSAGE);
  const body = await bodyOf(request);
  if (body instanceof GraphQLError) return jsonReply(500, { errors: [body] });
  if (body === undefined) return jsonReply(400, { error: 'JSON mal formaté ou invalide' });
  if (platform.switches.blacklisted) return textReply(200, 'Too Many Requests', 'text/html; charset=utf-8');
  const context = identify(request, body, platform);
  if (context.user === undefined && platform.switches.unauthenticated === 'status')
    return { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' }, body: 'Unauthorized' };
  if (!Array.isArray(body)) return send(await run(body, context), request);
  if (body.length > MAX_OPERATIONS)
    return jsonReply(400, { error: `Batching is limited to ${MAX_OPERATIONS} operations per request.` });
  const results = await Promise.all(body.map((operation) => run(operation, context)));
  return send({ status: 200, body: results.map((result) => result.body) }, request);
}

const CSRF_MESSAGE =
  "This operation has been blocked as a potential Cross-Site Request Forgery (CSRF). Please either specify a 'content-type' header " +
  '(with a type that is not one of application/x-www-form-urlencoded, multipart/form-data, text/plain) or provide a non-empty value ' +
  'for one of the following headers: x-apollo-operation-name, apollo-require-preflight\n';

function isPreflighted({ headers }: ServiceRequest): boolean {
  if (headers['apollo-require-preflight'] || headers['x-apollo-operation-name']) return true;
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type !== undefined && !SIMPLE_TYPES.includes(type);
}

const SIMPLE_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/** The parsed body; undefined if it is no JSON object or list of objects; an error if it is too large. */
async function bodyOf(request: ServiceRequest): Promise<Json | Json[] | GraphQLError | undefined> {
  if (request.method === 'GET') return Object.fromEntries(request.query);
  try {
    const value: unknown = JSON.parse((await request.readBody(PAYLOAD_LIMIT)).toString('utf8'));
    if (Array.isArray(value)) return value.every(isRecord) ? value : undefined;
    return isRecord(value) ? value : undefined;
  } catch (error) {
    // A body refused for its size before execution has no status of its own: the library falls back to 500.
    if (error instanceof BodyTooLarge)
      return new GraphQLError('La requête dépasse la taille maximale.', { extensions: { code: 'BAD_USER_INPUT' } });
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * The user of a request. A browser's session wins over a token; a token may be in the header, the query string or the
 * body, and more than one at once counts as none (waste-identity 5.1).
 */
function identify(request: ServiceRequest, body: Json | Json[], platform: Platform): ResourceContext {
  const session = platform.sessions.of(request.headers);
  if (session?.userId) return { user: platform.userById(session.userId), bySession: true };
  const inBody = Array.isArray(body) ? undefined : body['access_token'];
  const sent = [bearerToken(request.headers.authorization), request.query.get('access_token'), inBody];
  const tokens = sent.filter((token) => typeof token === 'string');
  const [token] = tokens;
  return {
    user: tokens.length === 1 && token !== undefined ? platform.userOfToken(token) : undefined,
    bySession: false,
  };
}

/** The token of `Authorization: Bearer`: the scheme is case-insensitive, and the header has exactly two parts. */
export function bearerToken(header: string | undefined): string | undefined {
  const [scheme = '', token, ...rest] = header?.split(' ') ?? [];
  return /^bearer$/i.test(scheme) && rest.length === 0 ? token : undefined;
}

async function run(operation: Json, context: ResourceContext): Promise<Result> {
  const { query, variables, operationName } = operation;
  if (typeof query !== 'string')
    return failed(400, 'BAD_REQUEST', 'GraphQL operations must contain a non-empty `query`.');
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (error) {
    return failed(400, 'GRAPHQL_PARSE_FAILED', error instanceof Error ? error.message : 'Syntax Error');
  }
  const invalid = validate(resourceSchema, document);
  if (invalid.length > 0)
    return { status: 400, body: { errors: invalid.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED')) } };
  const excess = excessOf(document);
  if (excess !== null) return excess;
  const body = await execute({
    schema: resourceSchema,
    document,
    rootValue: resourceRoot,
    contextValue: context,
    variableValues: isRecord(variables) ? variables : null,
    operationName: typeof operationName === 'string' ? operationName : null,
  });
  // Errors before data, as the platform's library writes them (waste-identity 5.2).
  return { status: 200, body: body.errors === undefined ? body : { errors: body.errors, data: body.data ?? null } };
}

function send({ status, body }: Result, request: ServiceRequest): Reply {
  const wantsNewType = request.headers.accept?.includes('application/graphql-response+json') === true;
  const type = wantsNewType ? 'application/graphql-response+json; charset=utf-8' : 'application/json; charset=utf-8';
  return { status, headers: { 'content-type': type }, body: `${JSON.stringify(body)}\n` };
}

function graphqlError(status: number, code: string, message: string): Reply {
  return jsonReply(status, failed(status, code, message).body);
}

function coded(error: GraphQLError, code: string): object {
  const { message, locations, extensions } = error;
  return { message, locations, extensions: { ...extensions, code } };
}
