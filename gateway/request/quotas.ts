import { isRecord } from '../../kernel/json.js';
import { createOmissions } from '../../runtime/errors.js';
import type { GatewayContext } from './context.js';
import type { GatewayRequest } from './request.js';

/** What is left of one quota of a source. */
export interface QuotaLeft {
  readonly service: string;
  /** The calls that are counted together: a route such as `GET /job/v1/search`, or a name for all of them. */
  readonly scope: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** What runs the query for quotas. */
interface QuotaServer {
  run(method: 'POST', parameters: typeof PARAMETERS, context: GatewayContext): Promise<{ readonly data?: unknown }>;
}

const PARAMETERS = {
  query: '{ sources { name quotas { scope limit remaining resetSeconds } } }',
  operationName: undefined,
  variables: undefined,
  extensions: undefined,
};

/** What is left of each quota for the caller of a request; empty for a graph without sources. Makes no call. */
export async function quotasLeft(server: QuotaServer, gatewayRequest: GatewayRequest): Promise<QuotaLeft[]> {
  const dry = gatewayRequest.dryRun(() => {});
  const context = { gatewayRequest: dry, recorder: null, omissions: createOmissions() };
  const { data } = await server.run('POST', PARAMETERS, context);
  dry.finish();
  const sources = isRecord(data) ? data['sources'] : null;
  return records(sources).flatMap(({ name, quotas }) =>
    records(quotas).map(({ scope, limit, remaining, resetSeconds }) => ({
      service: String(name),
      scope: String(scope ?? ''),
      limit: Number(limit ?? 0),
      remaining: Number(remaining ?? 0),
      resetSeconds: Number(resetSeconds ?? 0),
    })),
  );
}

function records(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
