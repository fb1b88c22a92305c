import { Kind, parse } from 'graphql';
import type { Price } from '../../../../schema/price.js';
import { operationNameOf } from '../requests/operation-name.js';
import { keyHeaders } from '../requests/send-query.js';
import type { GraphqlRequest } from '../responses/query-result.js';
import type { OwnKeys } from '../state/own-keys.js';

/** False once the gateway has shown that it tells no prices here. */
let hasPrices = true;

/**
 * What a query would cost, by a dry run, which makes no call. Null for what is not a whole query, or has no price.
 * Rejects if the signal aborts or nothing comes back.
 */
export async function fetchPrice(request: GraphqlRequest, keys: OwnKeys, signal: AbortSignal): Promise<Price | null> {
  if (!hasPrices || !hasOnlyQueries(request.query)) return null;
  // The address tells it from requests that run something, for whoever reads a list of them.
  const response = await window.fetch('/graphql?dry-run', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-passerelle-dry-run': '1', ...keyHeaders(keys) },
    body: JSON.stringify({ ...request, operationName: operationNameOf(request) }),
    signal,
  });
  const { extensions, errors }: DryRunResponse = await response.json();
  const price = extensions?.passerelle?.price ?? null;
  // Not allowed, or something before the gateway drops the header: the query was run.
  if (price === null && (response.ok || errors?.[0]?.extensions?.code === 'PERMISSION_DENIED')) hasPrices = false;
  return price;
}

interface DryRunResponse {
  readonly extensions?: { readonly passerelle?: { readonly price?: Price } };
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

/** A write is never sent for its price: where the header is lost on the way, it would be made. */
function hasOnlyQueries(text: string): boolean {
  try {
    const { definitions } = parse(text, { noLocation: true });
    const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    return operations.length > 0 && operations.every(({ operation }) => operation === 'query');
  } catch {
    return false;
  }
}
