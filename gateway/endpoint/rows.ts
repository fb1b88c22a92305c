import { createCallAllowance } from '../../kernel/operation.js';
import type { JsonObject } from '../../rows/path.js';
import { createOmissions } from '../../runtime/errors.js';
import type { PageResponse } from '../files/further-pages.js';
import type { FileProgress, RowResponse } from '../files/row-file.js';
import type { PagePlan } from '../files/row-plan.js';
import { type AllPages, allPagesResponse, rowResponse } from '../files/row-response.js';
import type { GraphqlResponse } from '../graph/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import { runCachedDry } from '../price/dry-run.js';
import type { GatewayContext } from '../request/context.js';
import { quotasLeft } from '../request/quotas.js';
import { createGatewayRequest } from '../request/request.js';
import type { Endpoint } from './endpoint.js';
import type { RunningOperation } from './operation.js';
import type { PricedRequest } from './priced.js';

/** An operation that was executed. */
export interface Executed {
  readonly response: GraphqlResponse;
  readonly context: GatewayContext;
  readonly price: PricedRequest;
}

/**
 * The response as rows, followed by those of all further pages if requested; null if it has no rows, or none are
 * requested. Rejects with a CodedError for rows that no response has, and for pages that cost too much.
 */
export async function rowsOf(
  endpoint: Endpoint,
  running: RunningOperation,
  executed: Executed,
): Promise<RowResponse | null> {
  const { operation, plan, gatewayRequest } = running;
  if (operation.rows === null) return null;
  const page = pageOf(executed.response, executed.context);
  const rows = { ...operation.rows, origin: operation.parameters };
  const pages = plan?.pages ?? null;
  if (pages === null) return rowResponse(page, rows, plan, gatewayRequest);
  const ended = (soFar: FileProgress) => {
    executed.price.end();
    endpoint.log.info({ requestId: gatewayRequest.id, ...soFar }, 'pages sent as rows');
  };
  const further = furtherPages(endpoint, running, executed.price, pages);
  return allPagesResponse(page, rows, pages, { ...further, ended });
}

/**
 * Fetches the further pages of one client request. Each page is a request of its own within the same deadline and the
 * same call allowance, so its loaders are freed with it. When the client disconnects, the current page is cancelled.
 */
function furtherPages(
  { server, pricing, maxCallsPerRequest }: Endpoint,
  { parameters: first, gatewayRequest, caller: { credentials, session } }: RunningOperation,
  price: PricedRequest,
  plan: PagePlan,
): Omit<AllPages, 'ended'> {
  const { id, callerId, remainingMs, onCutoff } = gatewayRequest;

  async function fetchPage(parameters: GraphqlParameters): Promise<PageResponse> {
    const allowance = gatewayRequest.allowance && createCallAllowance(gatewayRequest.allowance.left());
    const own = { deadlineMs: remainingMs(), credentials, allowance, recordCalls: true };
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
    return pageOf({ ...response, errors }, context);
  }

  return {
    caller: gatewayRequest,
    maxCalls: maxCallsPerRequest,
    callsOfCaller: price.callsOfCaller,
    remainingMs,
    fetchAfter: (cursor) => fetchPage(plan.parametersAfter(cursor)),
    cachedAfter: (after, pages) =>
      runCachedDry(pricing, { method: 'POST', parameters: first, gatewayRequest }, plan, { after, pages }),
    quotas: () => quotasLeft(server, gatewayRequest),
  };
}

/** A response in the form that the export reads. */
function pageOf({ data, errors = [] }: GraphqlResponse, { gatewayRequest, omissions }: GatewayContext): PageResponse {
  const { recorder } = gatewayRequest;
  return {
    // The data of a response is JSON.
    data: (data ?? null) as JsonObject | null,
    errors,
    errorCount: errors.length + (omissions.read()?.count ?? 0),
    calls: recorder.calls,
    services: recorder.services,
    callsMade: recorder.totals().callsMade,
  };
}
