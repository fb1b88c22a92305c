import type { Log } from '../../kernel/log.js';
import type { ExportProgress, RowResponse } from '../files/row-file.js';
import type { RowPlan } from '../files/row-plan.js';
import { createAllPagesResponse, createRowResponse } from '../files/row-response.js';
import type { GraphqlResponse, GraphqlServer } from '../graph/graphql-server.js';
import type { GatewayContext } from '../request/context.js';
import type { Caller } from './caller.js';
import { furtherPages, toPageResponse } from './further-pages.js';
import type { IncomingOperation } from './operation-reader.js';
import type { PricedRequest } from './priced.js';

/** A request whose operation was executed. */
interface RowSource {
  readonly operation: IncomingOperation;
  readonly caller: Caller;
  readonly plan: RowPlan | null;
}

/** An operation that was executed. */
export interface Executed {
  readonly response: GraphqlResponse;
  readonly context: GatewayContext;
  readonly price: PricedRequest;
}

/** What further pages are fetched with. */
export interface RowOptions {
  readonly server: GraphqlServer;
  readonly maxCallsPerRequest: number;
  readonly log: Log;
}

/**
 * The response as rows, followed by those of all further pages if requested; null if it has no rows, or none are
 * requested. Rejects with a CodedError for rows that no response has, and for pages that cost too much.
 */
export async function rowsOf(
  { operation, caller, plan }: RowSource,
  { response, context, price }: Executed,
  { server, maxCallsPerRequest: maxCalls, log }: RowOptions,
): Promise<RowResponse | null> {
  if (operation.rows === null) return null;
  const { gatewayRequest } = context;
  const page = toPageResponse(response, context);
  const rows = { ...operation.rows, origin: operation.parameters };
  const pages = plan?.pages ?? null;
  if (pages === null) return createRowResponse(page, rows, plan, gatewayRequest);
  const { session, credentials } = caller;
  const { parametersAfter } = pages;
  const further = furtherPages({ server, gatewayRequest, credentials, session, price, maxCalls, parametersAfter });
  const ended = (soFar: ExportProgress) => {
    price.end();
    log.info({ requestId: gatewayRequest.id, ...soFar }, 'pages sent as rows');
  };
  return createAllPagesResponse(page, rows, pages, { ...further, ended });
}
