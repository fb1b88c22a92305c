import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type DocumentNode,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { queryOf } from '../server/call.js';
import { sendUntyped } from '../server/express.js';
import { isRecord, type Json } from '../world/types.js';
import { MALFORMED } from './fields.js';
import type { Platform } from './platform.js';
import { type ResourceContext, resourceRoot, resourceSchema } from './resource-schema.js';

/** The largest payload, in bytes (waste-identity 5.3). */
const PAYLOAD_LIMIT = 1024 * 1024;

/** POST and GET `/`: the resource API in GraphQL, where failed authentication has status 200 (waste-identity 5). */
export function addGraphql(app: FastifyInstance, platform: Platform): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/',
    bodyLimit: PAYLOAD_LIMIT,
    onRequest(request, reply, done) {
      if (isPreflighted(request)) done();
      else reply.code(400).send(failed(400, 'BAD_REQUEST', CSRF_MESSAGE).body);
    },
    errorHandler: (error: FastifyError, _request, reply) => refuseBody(error, reply),
    handler: (request, reply) => handleGraphql(request, reply, platform),
  });
}

async function handleGraphql(request: FastifyRequest, reply: FastifyReply, platform: Platform): Promise<FastifyReply> {
  const body = request.method === 'GET' ? { ...queryOf(request) } : request.body;
  if (!isOperation(body)) return reply.code(400).send({ error: MALFORMED });
  if (platform.switches.blacklisted) return reply.type('text/html; charset=utf-8').send('Too Many Requests');
  const context = identify(request, body, platform);
  if (context.user === undefined && platform.switches.unauthenticated === 'status') {
    reply.header('www-authenticate', 'Bearer error="invalid_token"');
    return sendUntyped(reply, 401, 'Unauthorized');
  }
  if (!Array.isArray(body)) return send(await run(body, context), request, reply);
  if (body.length > MAX_OPERATIONS)
    return reply.code(400).send({ error: `Batching is limited to ${MAX_OPERATIONS} operations per request.` });
  const results = await Promise.all(body.map((operation) => run(operation, context)));
  return send({ status: 200, body: results.map((result) => result.body) }, request, reply);
}

const CSRF_MESSAGE =
  "This operation has been blocked as a potential Cross-Site Request Forgery (CSRF). Please either specify a 'content-type' header " +
  '(with a type that is not one of application/x-www-form-urlencoded, multipart/form-data, text/plain) or provide a non-empty value ' +
  'for one of the following headers: x-apollo-operation-name, apollo-require-preflight\n';

function isPreflighted({ headers }: FastifyRequest): boolean {
  if (headers['apollo-require-preflight'] || headers['x-apollo-operation-name']) return true;
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type !== undefined && !SIMPLE_TYPES.includes(type);
}

const SIMPLE_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/** Whether a body is a JSON object or a list of objects. */
function isOperation(body: unknown): body is Json | Json[] {
  return Array.isArray(body) ? body.every(isRecord) : isRecord(body);
}

/** Refuses a body before execution. One of the size has no status of its own: the library falls back to 500. */
function refuseBody({ statusCode }: FastifyError, reply: FastifyReply): FastifyReply {
  if (statusCode !== 413) return reply.code(400).send({ error: MALFORMED });
  const message = 'La requête dépasse la taille maximale.';
  return reply.code(500).send({ errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })] });
}

/**
 * The user of a request. A browser's session wins over a token; a token may be in the header, the query string or the
 * body, and more than one at once counts as none (waste-identity 5.1).
 */
function identify(request: FastifyRequest, body: Json | Json[], platform: Platform): ResourceContext {
  const { companyPages } = platform.switches;
  const session = platform.sessions.of(request.headers);
  if (session?.userId) return { user: platform.userById(session.userId), bySession: true, companyPages };
  const inBody = Array.isArray(body) ? undefined : body['access_token'];
  const sent = [bearerToken(request.headers.authorization), queryOf(request)['access_token'], inBody];
  const tokens = sent.filter((token) => typeof token === 'string');
  const [token] = tokens;
  return {
    user: tokens.length === 1 && token !== undefined ? platform.userOfToken(token) : undefined,
    bySession: false,
    companyPages,
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

function send({ status, body }: Result, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const wantsNewType = request.headers.accept?.includes('application/graphql-response+json') === true;
  const type = wantsNewType ? 'application/graphql-response+json' : 'application/json';
  return reply
    .code(status)
    .type(`${type}; charset=utf-8`)
    .send(`${JSON.stringify(body)}\n`);
}

function coded(error: GraphQLError, code: string): object {
  const { message, locations, extensions } = error;
  return { message, locations, extensions: { ...extensions, code } };
}

/** A response of the resource API before it is sent. */
export interface Result {
  readonly status: number;
  readonly body: object;
}

/** Most root selections of a document, and most operations of a batch (waste-identity 5.3). */
const MAX_OPERATIONS = 5;
const MAX_DEPTH = 10;

/** The refusal of too many root selections over all operations, or of too deep an operation; null for neither (5.3). */
function excessOf(document: DocumentNode): Result | null {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const roots = operations.reduce((sum, { selectionSet }) => sum + selectionSet.selections.length, 0);
  if (roots > MAX_OPERATIONS)
    return failed(
      400,
      'GRAPHQL_MAX_OPERATIONS_ERROR',
      `Batching is limited to ${MAX_OPERATIONS} operations per request.`,
    );
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const tooDeep = operations.find(({ selectionSet }) => depthOf(selectionSet, fragments) > MAX_DEPTH);
  if (tooDeep === undefined) return null;
  const message = `'${tooDeep.name?.value ?? ''}' exceeds maximum operation depth of ${MAX_DEPTH}`;
  return failed(400, 'GRAPHQL_VALIDATION_FAILED', message);
}

function depthOf(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): number {
  const depths = set.selections.map((selection) => {
    if (selection.kind === Kind.FIELD) return depthOfField(selection, fragments);
    if (selection.kind === Kind.INLINE_FRAGMENT) return depthOf(selection.selectionSet, fragments);
    const fragment = fragments.get(selection.name.value);
    return fragment === undefined ? 0 : depthOf(fragment.selectionSet, fragments);
  });
  return Math.max(0, ...depths);
}

function depthOfField(field: FieldNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): number {
  // Introspection is open and not counted.
  if (field.name.value.startsWith('__')) return 0;
  return field.selectionSet === undefined ? 0 : 1 + depthOf(field.selectionSet, fragments);
}

/** A refusal in the form of a GraphQL error. */
function failed(status: number, code: string, message: string): Result {
  return { status, body: { errors: [{ message, extensions: { code } }] } };
}
