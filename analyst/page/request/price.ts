import type { Price } from '../../../kernel/price.js';
import type { PlanNode } from '../../../kernel/trace.js';
import type { GraphqlRequest, TabHeaders } from '../state/query-result.js';
import { operationNameOf, operationsOf, parseQuery } from './operation.js';

/** False once the gateway has shown that it reports no prices here. */
let hasPrices = true;

/**
 * What a query would cost, by a dry run, which makes no call. Null for an incomplete query, or one without a price.
 * Rejects if the signal aborts or there is no response.
 */
export async function fetchPrice(
  request: GraphqlRequest,
  headers: TabHeaders,
  signal: AbortSignal,
): Promise<Priced | null> {
  if (!hasPrices || !hasOnlyQueries(request.query)) return null;
  // In a list of requests, the address distinguishes it from requests that run something.
  const response = await window.fetch('/graphql?dry-run', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-passerelle-dry-run': '1' },
    body: JSON.stringify({ ...request, operationName: operationNameOf(request) }),
    signal,
  });
  const { extensions, errors }: DryRunResponse = await response.json();
  const { price = null, plan } = extensions?.passerelle ?? {};
  // Either it is not allowed, or something in front of the gateway dropped the header and the query was run.
  if (price === null && (response.ok || errors?.[0]?.extensions?.code === 'PERMISSION_DENIED')) hasPrices = false;
  // What is refused for want of a login makes no call, and would with one.
  return price && { ...price, waitsForLogin: price.calls.length === 0 && asksForLogin(plan ?? null) };
}

/** A price, and whether it is that of a query which would make calls only after a login. */
export interface Priced extends Price {
  readonly waitsForLogin: boolean;
}

function asksForLogin(plan: PlanNode | null): boolean {
  return plan !== null && (plan.service === 'waste-identity' || (plan.children ?? []).some(asksForLogin));
}

interface DryRunResponse {
  readonly extensions?: { readonly passerelle?: { readonly price?: Price; readonly plan?: PlanNode | null } };
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

/** A mutation is never sent for its price: if the header is lost on the way, it would be executed. */
function hasOnlyQueries(text: string): boolean {
  const operations = operationsOf(parseQuery(text));
  return operations.length > 0 && operations.every(({ operation }) => operation === 'query');
}
