import { createCallAllowance } from '../../kernel/operation.js';
import type { JsonObject } from '../../rows/path.js';
import { createOmissions } from '../../runtime/errors.js';
import type { CallerSession } from '../auth/index.js';
import type { PageResponse } from '../files/further-pages.js';
import type { AllPages } from '../files/row-response.js';
import type { GraphqlResponse, GraphqlServer } from '../graph/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { GatewayContext } from '../request/context.js';
import { quotasLeft } from '../request/quotas.js';
import { type CallerCredentials, createGatewayRequest, type GatewayRequest } from '../request/request.js';
import type { PricedRequest } from './priced.js';

/** The client request whose further pages are fetched. */
export interface FurtherPagesOptions {
  readonly server: GraphqlServer;
  /** The request that all pages belong to; they share its deadline and its call allowance. */
  readonly gatewayRequest: GatewayRequest;
  readonly credentials: CallerCredentials;
  readonly session: CallerSession | null;
  readonly price: PricedRequest;
  readonly maxCalls: number;
  parametersAfter(cursor: string): GraphqlParameters;
}

/**
 * Fetches the further pages of one client request. Each page is a request of its own within the same deadline, so its
 * loaders are freed with it. When the client disconnects, the current page is cancelled.
 */
export function furtherPages(options: FurtherPagesOptions): Omit<AllPages, 'ended'> {
  const { server, gatewayRequest, credentials, session, price, maxCalls, parametersAfter } = options;

  async function run(parameters: GraphqlParameters): Promise<PageResponse> {
    const { id, callerId, remainingMs, onCutoff } = gatewayRequest;
    const allowance = gatewayRequest.allowance && createCallAllowance(gatewayRequest.allowance.left());
    const own = { deadlineMs: remainingMs(), credentials, allowance, recordCalls: false };
    const page = createGatewayRequest({ id, callerId, ...own });
    const release = onCutoff(page.cancel);
    const priced = price.page(parameters, page);
    const context = { gatewayRequest: page, recorder: null, omissions: createOmissions(), ...priced };
    const response = await server.run('POST', parameters, context);
    release();
    page.finish();
    const { callsMade } = page.recorder.totals();
    gatewayRequest.allowance?.spend(callsMade);
    priced.report(callsMade, response.errors === undefined);
    const errors = session === null ? response.errors : await session.settle(response.errors);
    return toPageResponse({ ...response, errors }, context);
  }

  return {
    caller: gatewayRequest,
    maxCalls,
    callsOfCaller: price.callsOfCaller,
    remainingMs: gatewayRequest.remainingMs,
    fetchAfter: (cursor) => run(parametersAfter(cursor)),
    quotas: () => quotasLeft(server, gatewayRequest),
  };
}

/** A response in the form that the export reads. */
export function toPageResponse({ data, errors = [] }: GraphqlResponse, context: GatewayContext): PageResponse {
  const { gatewayRequest, omissions } = context;
  // The data of a response is JSON.
  return {
    data: (data ?? null) as JsonObject | null,
    errors,
    errorCount: errors.length + (omissions.read()?.count ?? 0),
    calls: gatewayRequest.recorder.calls,
    services: gatewayRequest.recorder.services,
    callsMade: gatewayRequest.recorder.totals().callsMade,
  };
}
