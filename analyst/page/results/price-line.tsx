import { useGraphiQL } from '@graphiql/react';
import { Kind } from 'graphql';
import { useEffect, useState } from 'react';
import type { Price } from '../../../kernel/price.js';
import { operationNameOf, parseQuery } from '../request/operation.js';
import { keyHeaders } from '../request/send-query.js';
import { useTexts } from '../state/language.js';
import { type OwnKeys, usePage } from '../state/page-state.js';
import type { GraphqlRequest, QueryResult, ResponseError } from '../state/query-result.js';
import { useQueryText, useVariablesText } from '../tabs/editors.js';
import { readValues } from '../variables/values.js';
import { PRICE_TEXTS } from './texts.js';

/** Milliseconds without a change after which the price is requested. */
const TYPING_ENDED_MS = 600;

/** What the query in front would cost if it were run; an empty line while that is not known. */
export function PriceLine({ result }: { result: QueryResult | undefined }) {
  const price = usePrice();
  const texts = useTexts(PRICE_TEXTS);
  // What is refused for want of a login makes no call, and would with one.
  const none = result?.response.errors?.some(needsLogin) ? texts.whenConnected : texts.none;
  return (
    <p className="pa-price" title={texts.explained}>
      {price && (price.total === 0 ? none : describe(price, texts))}
    </p>
  );
}

function needsLogin({ extensions }: ResponseError): boolean {
  return /^(CREDENTIALS_REQUIRED|CREDENTIALS_REJECTED|RECONNECT_REQUIRED)$/.test(extensions?.code ?? '');
}

/** The price of query and variables as they are in the editors; null while they change or run. */
function usePrice(): Price | null {
  const query = useQueryText();
  const text = useVariablesText();
  const operationName = useGraphiQL((state) => state.operationName);
  const isFetching = useGraphiQL((state) => state.isFetching);
  const keys = usePage(({ keys }) => keys);
  const [price, setPrice] = useState<Price | null>(null);
  useEffect(() => {
    setPrice(null);
    const variables = readValues(text);
    if (isFetching || variables === null) return;
    const stop = new AbortController();
    const fetchNow = () =>
      fetchPrice({ query, variables, operationName: operationName ?? null }, keys, stop.signal).then(
        setPrice,
        () => {},
      );
    const timer = window.setTimeout(fetchNow, TYPING_ENDED_MS);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [query, text, operationName, isFetching, keys]);
  return price;
}

function describe({ calls, total, certain }: Price, texts: (typeof PRICE_TEXTS)['en']): string {
  const services = new Map<string, number>();
  for (const { service, estimated } of calls) {
    if (estimated > 0) services.set(service, estimated + (services.get(service) ?? 0));
  }
  const shares = [...services].map(([service, count]) => `${count} ${service}`);
  return [`${texts.calls(certain, total)} (${shares.join(', ')})`, ...leftOf(calls, texts)].join(texts.and);
}

/** The counter that has least left after this query. */
function leftOf(calls: Price['calls'], texts: (typeof PRICE_TEXTS)['en']): string[] {
  let [tightest, shown]: [number, string[]] = [Number.POSITIVE_INFINITY, []];
  for (const { service, estimated, quotaLeft } of calls) {
    if (quotaLeft === null || estimated === 0 || quotaLeft - estimated >= tightest) continue;
    tightest = quotaLeft - estimated;
    shown = [tightest < 0 ? texts.short(service, quotaLeft) : texts.left(service, quotaLeft)];
  }
  return shown;
}

/** False once the gateway has shown that it reports no prices here. */
let hasPrices = true;

/**
 * What a query would cost, by a dry run, which makes no call. Null for an incomplete query, or one without a price.
 * Rejects if the signal aborts or there is no response.
 */
async function fetchPrice(request: GraphqlRequest, keys: OwnKeys, signal: AbortSignal): Promise<Price | null> {
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
  const definitions = parseQuery(text)?.definitions ?? [];
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return operations.length > 0 && operations.every(({ operation }) => operation === 'query');
}
