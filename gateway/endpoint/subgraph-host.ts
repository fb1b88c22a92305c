import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { WatchCache } from '../../kernel/caches.js';
import type { Tracing } from '../../kernel/log.js';
import { createCallAllowance, type Subgraph } from '../../kernel/operation.js';
import { fromEachService } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { type Configuration, isLoopback } from '../../runtime/configuration/configuration.js';
import { VERSION } from '../../runtime/configuration/role.js';
import {
  type MintCredential,
  readCredential,
  readToken,
  TOKEN_CHALLENGE,
} from '../../runtime/credentials/credentials.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { checkDocument, DOCUMENT_BOUNDS, PLANNED_BOUNDS, parseJsonBody } from '../../runtime/http/request-body.js';
import { RequestError } from '../../runtime/http/request-error.js';
import { oneHeader, publicNameIn, readTraceContext } from '../../runtime/http/request-headers.js';
import { createSubgraphExecution } from '../../runtime/subgraph-execution.js';
import { refuseOverlong, refuseUncounted } from '../callers/connection-guard.js';
import { formatError } from '../graph/graphql-server.js';
import { GatewayRequest } from '../request/request.js';
import { refusalOf } from './graphql-endpoint.js';
import { createHttpServer, type HttpServerOptions, handleErrors, listen } from './listener.js';

/**
 * A subgraph, its address, and the tokens and limits of its callers. Without tokens, anyone on this machine is served, but
 * no caller sees recorded calls or may select an internal field.
 */
export interface SubgraphHostOptions
  extends Pick<Configuration, 'host' | 'port' | 'subgraphTokens'>,
    Omit<HttpServerOptions, 'fastPath' | 'guard'> {
  readonly subgraph: Subgraph;
  readonly mintCredential: MintCredential;
  /** Watches the host's cache for metrics; if omitted, nothing does. */
  readonly watchCache?: WatchCache;
  /** Null or omitted where nothing is traced. */
  readonly tracing?: Tracing | null;
}

/** Representations are small, but an application contains its attachment: 6 MB, and JSON around it. */
const BODY_BYTES = 16 * 1024 * 1024;

/** Documents, and values and keys of bodies: the gateway sends up to 10,000 representations of some keys each. */
const OF_GATEWAY = { document: PLANNED_BOUNDS, values: 2_000_000 };
/** Other callers may send a large page of them. */
const OF_ANYONE = { document: DOCUMENT_BOUNDS, values: 100_000 };

const REQUEST = z.object({
  query: z.string(),
  variables: z.custom<Record<string, unknown>>(isRecord).nullish(),
  operationName: z.string().min(1).nullish().catch(null),
});

/**
 * Serves one subgraph over HTTP, for a gateway in another process or another engine (architecture 2), until it is closed.
 * Rejects if it would listen beyond loopback without a token.
 */
export async function listenSubgraph(options: SubgraphHostOptions) {
  const { subgraph, host, port, subgraphTokens: tokens, log, phase } = options;
  const { name } = subgraph;
  const trusted = tokens.length > 0;
  if (!trusted && !isLoopback(host))
    throw new Error(`The subgraph ${name} listens beyond loopback only with SUBGRAPH_TOKEN.`);
  const bounds = trusted ? OF_GATEWAY : OF_ANYONE;
  const execute = createSubgraphExecution(subgraph, log, options.watchCache, bounds.document);
  const server = createHttpServer({ ...options, fastPath: null });
  server.addHook('onRequest', async (request) => refuseStrangers(request, tokens));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES },
    async ({ headers }: FastifyRequest, body: Buffer) => parseJsonBody(headers, body, bounds.values),
  );
  server.post('/graphql', async (received, reply) => {
    const { data: request } = REQUEST.safeParse(received.body);
    if (request === undefined) throw new RequestError(400, 'The body must be a JSON object with a `query`.');
    checkDocument(request.query, bounds.document);
    const { own, context } = startSubgraphOperation(received, options);
    reply.raw.once('close', () => {
      if (reply.raw.writableFinished) return;
      // It happens all the time.
      log.debug({ requestId: own.id }, 'a caller left before its response');
      own.cancel();
    });
    const { state, upstream } = subgraph.status();
    reply.headers({ 'x-passerelle-state': state, 'x-passerelle-upstreams': upstream });
    reply.headers({ 'x-request-id': own.id, 'cache-control': 'no-store' });
    const { data, errors, omitted } = await execute(request, context).finally(() => {
      own.finish();
      context.span?.end();
    });
    // Nothing is written for a caller that has left.
    if (reply.raw.destroyed) return reply.hijack();
    const { calls, stored, isCacheable } = own.recorder;
    const ofCalls = {
      passerelleCalls: calls,
      passerelleUncacheable: isCacheable ? undefined : true,
      passerelleStored: stored.length > 0 ? stored : undefined,
      passerelleOmittedPlaces: omitted?.places,
    };
    // JSON leaves out what is undefined.
    const extensions = (trusted || omitted) && { errorsOmitted: omitted?.count, ...(trusted && ofCalls) };
    const told = errors?.map((error) => formatError(error, own.id));
    return reply.send({ data, errors: told, extensions: extensions || undefined });
  });
  server.get('/healthz', () => ({ status: 'ok', version: VERSION }));
  server.get('/readyz', (_request, reply) => {
    const status = phase();
    // A process that is still starting answers nothing: the listener opens last.
    reply.code(status === 'draining' ? 503 : 200);
    return { status, version: VERSION, sources: [{ name, ...subgraph.status(), ...subgraph.figures(null) }] };
  });
  server.setNotFoundHandler(() => {
    throw new RequestError(404, 'Not found.');
  });
  handleErrors(server, log, (reply, error) => {
    const { status, headers, body } = refusalOf(error, reply.request.id);
    return reply.code(status).headers(headers).send(body);
  });
  const { url } = await listen(server, host, port);
  /** `close` stops accepting operations, and resolves when those in flight have ended. */
  return { url: `${url}/graphql`, close: async (): Promise<void> => server.close() };
}

/** Throws a RequestError before the body is read: a stranger's is not worth reading. */
function refuseStrangers({ headers, raw, routeOptions: { url } }: FastifyRequest, tokens: readonly Secret[]): void {
  const trusted = tokens.length > 0;
  refuseUncounted(raw);
  refuseOverlong(raw);
  // Without a token it is the address that protects it: a page of a stranger's name for it gets nothing.
  if (!trusted && publicNameIn(headers) !== null)
    throw new RequestError(421, 'Without a token, a subgraph answers to no public name in Host.');
  const sent = readToken(headers, tokens);
  // Balancers send no token. A gateway sends its own, and learns here if it is not this subgraph's.
  const isStranger = url === '/graphql' ? trusted && sent !== 'right' : url === '/readyz' && sent === 'wrong';
  const message = 'This subgraph serves only a gateway that sends its token (SUBGRAPH_TOKEN).';
  if (isStranger) throw new RequestError(401, message, { headers: TOKEN_CHALLENGE });
}

/** Starts an operation from its headers: milliseconds left, place in the plan, caller, calls left (architecture 2). */
export function startSubgraphOperation(
  { id, headers }: Pick<FastifyRequest, 'id' | 'headers'>,
  { subgraph: { name }, subgraphTokens, mintCredential, requestDeadlineMs, tracing }: SubgraphHostOptions,
) {
  // With a token, nobody else gets here: only then may it select internal fields and name its caller.
  const trusted = subgraphTokens.length > 0;
  const credential = readCredential(name, headers, mintCredential);
  const caller = trusted ? oneHeader(headers, 'x-passerelle-caller') : undefined;
  const callsLeft = numberIn(oneHeader(headers, 'x-passerelle-calls-left'));
  const isDry = oneHeader(headers, 'x-passerelle-dry-run') === '1';
  const span = tracing?.start('subgraph', readTraceContext(headers));
  const own = new GatewayRequest({
    id,
    // Who is not named is known by their key; without one, each request is its own caller.
    callerId: caller ?? credential?.fingerprint ?? id,
    deadlineMs: Math.min(numberIn(oneHeader(headers, 'x-passerelle-deadline-ms')), requestDeadlineMs),
    credentials: fromEachService((service) => (service === name ? credential : null)),
    recordCalls: 'all',
    internal: trusted,
    allowance: Number.isFinite(callsLeft) ? createCallAllowance(callsLeft) : null,
    ...(isDry && { dryRun: (call: UpstreamCall) => own.recorder.calls.push(call) }),
  });
  return { own, context: own.operationOf(name, oneHeader(headers, 'x-passerelle-fetch') ?? '', span) };
}

/** The whole number in a header; infinite if it cannot be read. */
function numberIn(text = ''): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}
