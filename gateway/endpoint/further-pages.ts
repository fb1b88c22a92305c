import { createOmissions } from '../../runtime/errors/error-list.js';
import type { CallerSession } from '../auth/index.js';
import type { GraphqlAnswer, GraphqlServer } from '../execution/graphql-server.js';
import type { GraphqlParameters } from '../http/parameters.js';
import type { GatewayContext } from '../request/context.js';
import type { CallerCredentials } from '../request/credentials.js';
import { createGatewayRequest, type GatewayRequest } from '../request/request.js';
import type { AnsweredPage } from '../web/export/follow-pages.js';
import { QUOTA_QUESTION, readQuotas } from '../web/export/page-price.js';
import type { AllPages } from '../web/export/row-answer.js';
import type { JsonObject } from '../web/rows/path.js';

export interface FurtherPagesOptions {
  readonly server: GraphqlServer;
  /** The client's request that all pages belong to; its time is theirs. */
  readonly caller: GatewayRequest;
  readonly credentials: CallerCredentials;
  readonly session: CallerSession | null;
  parametersAfter(cursor: string): GraphqlParameters;
}

/**
 * Fetches the further pages of one client request. Each is a request of its own within the first one's time:
 * what was loaded for a page is let go with it. When the client leaves, the page on its way ends too.
 */
export function furtherPages(options: FurtherPagesOptions): Omit<AllPages, 'ended'> {
  const { server, caller, credentials, session, parametersAfter } = options;

  async function run(parameters: GraphqlParameters): Promise<AnsweredPage> {
    const { id, remainingMs, onCutoff } = caller;
    const page = createGatewayRequest({ id, deadlineMs: remainingMs(), credentials, keepCalls: false });
    const release = onCutoff(page.abandon);
    const context = { caller: page, recorder: null, omissions: createOmissions() };
    const answer = await server.run('POST', parameters, context);
    release();
    page.finish();
    const errors = session === null ? answer.errors : await session.settle(answer.errors);
    return answeredPage({ ...answer, errors }, context);
  }

  return {
    remainingMs: caller.remainingMs,
    ask: (cursor) => run(parametersAfter(cursor)),
    async quotas() {
      const { data } = await run({ ...NO_PARAMETERS, query: QUOTA_QUESTION });
      return readQuotas(data);
    },
  };
}

const NO_PARAMETERS = { operationName: undefined, variables: undefined, extensions: undefined };

/** An answer as the export reads it. */
export function answeredPage({ data, errors = [] }: GraphqlAnswer, context: GatewayContext): AnsweredPage {
  const { caller, omissions } = context;
  // What the graph answers is JSON: the endpoint would send it as it is.
  return {
    data: (data ?? null) as JsonObject | null,
    errors,
    errorCount: errors.length + (omissions.read()?.count ?? 0),
    calls: caller.ledger.calls,
    callsMade: caller.ledger.totals().callsMade,
  };
}
