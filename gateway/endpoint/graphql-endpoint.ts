import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WatchCache } from '../../kernel/caches.js';
import type { CodedError } from '../../kernel/errors.js';
import type { MintCredential } from '../../runtime/credentials/credential-headers.js';
import type { Identity } from '../auth/index.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import type { RequestError } from '../http/request-error.js';
import type { SafelistPolicy } from '../limits/safelist.js';
import type { Memory } from '../memory/memory.js';
import { createIdentification, isForEveryone } from './caller.js';
import { createExecution, type ExecutionOptions } from './execution.js';
import type { FastPath } from './fast-path.js';
import { createMemoryEndpoint } from './memory-endpoint.js';
import { createOperationReader } from './operation-reader.js';
import { createPricedRequests, type PricedOptions } from './priced.js';
import { createRefusal, isReported, type RefusalReport } from './refusal.js';
import type { RequestMetrics } from './request-report.js';
import { createResponseHeaders } from './response-headers.js';
import { createResponseSender } from './send-response.js';

/** What the endpoint is created from. */
export interface GraphqlEndpointOptions extends ExecutionOptions, PricedOptions {
  readonly metrics: RequestMetrics | null;
  readonly reportRefusal: RefusalReport;
  readonly memory: Memory;
  /** Null if logging in is not configured. */
  readonly identity: Identity | null;
  readonly crossOrigin: CrossOrigin;
  readonly mintCredential: MintCredential;
  readonly safelist: SafelistPolicy | null;
  readonly watchCache: WatchCache;
}

/** Answers GraphQL over HTTP. */
export interface GraphqlEndpoint {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Runs ahead of the router. */
  readonly fastPath: FastPath;
  /** Sends the error for a request that never became an operation. */
  refuse(error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** The same for a request whose body could not be read; it counts against its caller. */
  refuseUnread(error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Creates the endpoint over a GraphQL server: reads headers and body, runs one operation, writes headers and body. */
export function createGraphqlEndpoint(options: GraphqlEndpointOptions): GraphqlEndpoint {
  const { subgraphs, callerLimits, crossOrigin } = options;
  const read = createOperationReader(options);
  const identify = createIdentification(options);
  const headersOf = createResponseHeaders(crossOrigin, subgraphs);
  const memory = createMemoryEndpoint({ ...options, identify, headersOf });
  const send = createResponseSender(headersOf);
  const prices = createPricedRequests(options);
  const execute = createExecution(options, { memory, send, prices });
  const refuse = createRefusal(options.reportRefusal, send);

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    let isCounted = false;
    try {
      const operation = read(request);
      const { rows, parameters, type } = operation;
      const isExecuted = rows !== null || prices.isPriced(request);
      const { caller, response, limits } = await memory.attempt(request, parameters, isExecuted);
      isCounted = true;
      reply.headers(limits);
      if (typeof response !== 'object' || response === null)
        return await execute(request, reply, operation, { caller, reason: response ?? 'report' });
      const isForAll = isForEveryone(caller, request.headers);
      return send.whole(request, reply, { ...response, body: response.body.bytes(), type, isForAll });
    } catch (error) {
      if (!isReported(error)) throw error;
      // One that is not admitted was counted too.
      return isCounted || error.code === 'TOO_MANY_REQUESTS'
        ? refuse(error, request, reply)
        : refuseUnread(error, request, reply);
    }
  }

  const refuseUnread: GraphqlEndpoint['refuseUnread'] = async (error, request, reply) => {
    const tooMany = await callerLimits.admitUnread(request.raw).catch((refused: RequestError) => refused);
    return refuse(tooMany ?? error, request, reply);
  };

  return { handle, fastPath: memory.fastPath, refuse, refuseUnread };
}
