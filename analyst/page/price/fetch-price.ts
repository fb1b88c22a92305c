import { Kind, parse } from 'graphql';
import type { Price } from '../../../kernel/price.js';
import { operationNameOf } from '../requests/operation-name.js';
import { keyHeaders } from '../requests/send-query.js';
import type { GraphqlRequest } from '../responses/query-result.js';
import type { OwnKeys } from '../state/own-keys.js';

/** False once the gateway has shown that it reports no prices here. */
let hasPrices = true;

/**
 * What a query would cost, by a dry run, which makes no call. Null for an incomplete query, or one without a price.
 * Rejects if the signal aborts or there is no response.
 */
export async function fetchPrice(request: GraphqlRequest, keys: OwnKeys, signal: AbortSignal): Promise<Price | null> {
  if (!hasPrices || !hasOnlyQueries(request.query)) return null;
  // In a list of requests, the address distinguishes it from requests that run something.
  const response = await window.fetch('/graphql?dry-run', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-passerelle-dry-run': '1', ...keyHeaders(keys) },
    body: JSON.stringify({ ...request, operationName: operationNameOf(request) }),
    signal,
  });
  const { extensions, errors }: DryRunResponse = await response.json();
  const price = extensions?.passerelle?.price ?? null;
  // Either it is not allowed, or something in front of the gateway dropped the header and the query was run.
  if (price === null && (response.ok || errors?.[0]?.extensions?.code === 'PERMISSION_DENIED')) hasPrices = false;
  return price;
}

interface DryRunResponse {
  readonly extensions?: { readonly passerelle?: { readonly price?: Price } };
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

/** A mutation is never sent for its price: if the header is lost on the way, it would be executed. */
function hasOnlyQueries(text: string): boolean {
  try {
    const { definitions } = parse(text, { noLocation: true });
    const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    return operations.length > 0 && operations.every(({ operation }) => operation === 'query');
  } catch {
    return false;
  }
}
