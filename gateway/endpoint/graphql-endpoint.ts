import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MintCredential } from '../../runtime/credentials/credential-headers.js';
import { createOmissions, type OmittedErrors } from '../../runtime/errors/error-list.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { CodedError, ERRORS } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { Trace } from '../../schema/trace.js';
import type { CallerSession, Identity } from '../auth/index.js';
import { statusOf } from '../execution/answer.js';
import type { GraphqlServer } from '../execution/graphql-server.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { type AnswerType, chooseAnswerType } from '../http/negotiation.js';
import { type GraphqlParameters, readBodyParameters, readQueryParameters } from '../http/parameters.js';
import { RequestError } from '../http/request-error.js';
import { allowOperation, type SafelistPolicy } from '../limits/safelist.js';
import { cacheStatus } from '../request/cache-status.js';
import { type CallerCredentials, readCredentials } from '../request/credentials.js';
import { createGatewayRequest, type GatewayRequest } from '../request/request.js';
import { createPlanRecorder, mayTrace, type TracePolicy } from '../request/trace.js';
import type { Subgraphs } from '../subgraphs/connect-subgraphs.js';
import type { AnsweredPage, PagesSoFar } from '../web/export/follow-pages.js';
import { answerAllPages, answerRows } from '../web/export/row-answer.js';
import type { RowAnswer } from '../web/export/row-file-answer.js';
import { planRows, type RowPlan } from '../web/export/row-plan.js';
import { type RowRequest, readRowRequest } from '../web/export/row-request.js';
import { ROW_FORMATS } from '../web/rows/formats.js';
import { answeredPage, furtherPages } from './further-pages.js';
import { type RequestMetrics, reportAnswer } from './request-report.js';
import { createAnswerSender } from './send-answer.js';

export interface GraphqlEndpointOptions {
  readonly server: GraphqlServer;
  readonly subgraphs: Subgraphs;
  /** Null where logging in is switched off. */
  readonly identity: Identity | null;
  readonly crossOrigin: CrossOrigin;
  readonly mintCredential: MintCredential;
  readonly deadlineMs: number;
  readonly trace: TracePolicy;
  readonly safelist: SafelistPolicy | null;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
  /** Gives the planner's private names in a text back to the client. */
  restoreText(text: string): string;
}

/** Answers GraphQL over HTTP. */
export interface GraphqlEndpoint {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Answers a request that did not come as far as an operation. */
  refuse(error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** The endpoint over a GraphQL server: headers in, one operation, headers and JSON out. */
export function createGraphqlEndpoint(options: GraphqlEndpointOptions): GraphqlEndpoint {
  const { server, subgraphs, identity, crossOrigin, mintCredential, deadlineMs, safelist, log } = options;
  const send = createAnswerSender(crossOrigin, subgraphs);

  async function begin(request: FastifyRequest, needsCalls: boolean): Promise<Begun> {
    const traced = mayTrace(options.trace, oneHeader(request.headers, 'x-passerelle-trace'));
    const sent = readCredentials(request.headers, mintCredential);
    // A caller's own token takes precedence over their cookie, which is then ignored.
    const session = sent['waste-identity'] === null ? ((await identity?.sessionOf(request.headers)) ?? null) : null;
    const credentials = session === null ? sent : { ...sent, 'waste-identity': session.credential };
    const caller = createGatewayRequest({ id: request.id, deadlineMs, credentials, keepCalls: traced || needsCalls });
    return { traced, session, credentials, caller };
  }

  function readParameters(request: FastifyRequest): GraphqlParameters {
    const parameters = isGet(request) ? readQueryParameters(searchOf(request)) : readBodyParameters(request.body);
    return safelist === null ? parameters : allowListed(parameters, safelist, log);
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      crossOrigin.refuseBlindRequest(request.headers);
      const rows = readRowRequest(request.headers.accept, searchOf(request));
      const type = rows === null ? answerType(request) : 'application/json';
      const parameters = readParameters(request);
      const plan = rows === null ? null : planRows(parameters, rows, server.schema());
      const begun = await begin(request, plan?.pages != null);
      const { caller, traced, session } = begun;
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) caller.abandon();
      });
      const recorder = traced ? createPlanRecorder(caller, options.restoreText) : null;
      const omissions = createOmissions();
      const context = { caller, recorder, omissions };
      const asked = plan?.pages?.parametersAfter(null) ?? parameters;
      const ran = await server.run(isGet(request) ? 'GET' : 'POST', asked, context);
      caller.finish();
      const answer = session === null ? ran : { ...ran, errors: await session.settle(ran.errors) };
      const { data, errors } = answer;
      const rowAnswer =
        rows === null ? null : await answerInRows(answeredPage(answer, context), { rows, plan }, begun, options);
      const hasNoRows = rows !== null && rowAnswer === null && answer.status === 200;
      const status = hasNoRows ? statusOf(errors?.[0]?.extensions?.['code']) : answer.status;
      reportAnswer(options, { ...answer, status }, parameters, caller);
      if (caller.ledger.stale !== null) reply.header('cache-status', cacheStatus(caller.ledger.stale));
      if (rowAnswer !== null) return send.rows(request, reply, rowAnswer);
      const extensions = extensionsOf(recorder?.trace(statesOf(subgraphs)), omissions.read());
      return send.json(request, reply, { status, type, body: { errors, data, extensions }, bytes: answer.bytes });
    } catch (error) {
      if (error instanceof RequestError || error instanceof CodedError) return refuse(error, request, reply);
      throw error;
    }
  }

  async function refuse(error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply) {
    const status = error instanceof RequestError ? error.status : ERRORS[error.code].httpStatus;
    const told = { message: error.message, extensions: { code: error.code, requestId: request.id } };
    options.metrics?.request({ status, ms: reply.elapsedTime });
    log.info({ requestId: request.id, status, codes: [error.code] }, 'request refused');
    if (error instanceof RequestError) reply.headers(error.headers);
    const type = chooseAnswerType(request.headers.accept) ?? 'application/json';
    return send.json(request, reply, { status, type, body: { errors: [told] } });
  }

  return { handle, refuse };
}

interface Begun {
  readonly caller: GatewayRequest;
  readonly traced: boolean;
  readonly credentials: CallerCredentials;
  /** The session whose token the caller uses; null when none is used. */
  readonly session: CallerSession | null;
}

/** The rows of an answer, with those of the pages after it where the caller asked for all; null when it has no rows. */
async function answerInRows(
  page: AnsweredPage,
  { rows, plan }: { readonly rows: RowRequest; readonly plan: RowPlan | null },
  begun: Begun,
  { server, log }: GraphqlEndpointOptions,
): Promise<RowAnswer | null> {
  const pages = plan?.pages ?? null;
  if (pages === null) return answerRows(page, rows, plan);
  const further = furtherPages({ server, ...begun, parametersAfter: pages.parametersAfter });
  const ended = (soFar: PagesSoFar) => log.info({ requestId: begun.caller.id, ...soFar }, 'pages were sent as rows');
  return answerAllPages(page, rows, pages, { ...further, ended });
}

function statesOf(subgraphs: Subgraphs): Trace['sources'] {
  return subgraphs.known().map(({ name, state }) => ({ name, state }));
}

/** What an answer says beside data and errors; undefined for nothing. */
function extensionsOf(trace: Trace | undefined, omitted: OmittedErrors | undefined): object | undefined {
  if (trace === undefined && omitted === undefined) return undefined;
  return {
    ...(omitted !== undefined && { errorsOmitted: omitted.count }),
    ...(trace !== undefined && { passerelle: trace }),
  };
}

function isGet({ method }: FastifyRequest): boolean {
  return method === 'GET';
}

function searchOf({ url }: FastifyRequest): URLSearchParams {
  const from = url.indexOf('?');
  return new URLSearchParams(from < 0 ? '' : url.slice(from));
}

function answerType({ headers }: FastifyRequest): AnswerType {
  const type = chooseAnswerType(headers.accept);
  if (type !== null) return type;
  const rows = [...new Set(ROW_FORMATS.map(({ mediaType }) => mediaType))].join(', ');
  throw new RequestError(406, `Answers are application/graphql-response+json or application/json, rows ${rows}.`);
}

function allowListed(parameters: GraphqlParameters, policy: SafelistPolicy, log: Log): GraphqlParameters {
  const { query, extensions } = parameters;
  const { sha256Hash } = (extensions?.['persistedQuery'] ?? {}) as { sha256Hash?: unknown };
  const hash = typeof sha256Hash === 'string' ? sha256Hash : undefined;
  const allowed = allowOperation({ query, hash }, policy, log);
  // The document is known here: the store of persisted queries has nothing to add.
  return allowed === undefined || query !== undefined
    ? parameters
    : { ...parameters, query: allowed, extensions: undefined };
}
