import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import { instantOf } from '../../../kernel/dates.js';
import type { Price } from '../../../kernel/price.js';
import type { PlanNode } from '../../../kernel/trace.js';
import { useAwaited } from '../elements/effects.js';
import { formatMoment } from '../elements/format.js';
import { labelOfService } from '../elements/services.js';
import { operationNameOf, operationsOf, parseQuery } from '../request/operation.js';
import { keyHeaders } from '../request/send-query.js';
import { useTexts } from '../state/language.js';
import { usePage } from '../state/page-state.js';
import type { GraphqlRequest, TabHeaders } from '../state/query-result.js';
import { useHeadersText, useQueryText, useVariablesText } from '../tabs/editors.js';
import { readValues } from '../variables/values.js';
import { PRICE_TEXTS } from './texts.js';

/** Milliseconds without a change after which the price is requested. */
const TYPING_ENDED_MS = 600;

/** What the query in front would cost if it were run, in a few words; an empty line while that is not known. */
export function PriceLine() {
  const price = usePrice();
  const texts = useTexts(PRICE_TEXTS);
  if (price === null) return <p className="pa-price" />;
  const details = price.total === 0 ? '' : describe(price, texts);
  return (
    <p className="pa-price" title={[details, texts.explained].filter(Boolean).join('. ')}>
      {chipOf(price, texts)}
      {details !== '' && <span className="pa-hidden"> ({details})</span>}
    </p>
  );
}

type PriceTexts = (typeof PRICE_TEXTS)['en'];

function chipOf({ total, calls, stored = [], waitsForLogin }: Priced, texts: PriceTexts): string {
  const dates = stored.map(({ asOf }) => texts.dataOf(formatMoment(new Date(instantOf(asOf)))));
  if (total > 0) return [texts.chip(total), ...leftOf(calls, texts.left), ...dates].join(', ');
  if (waitsForLogin) return texts.whenConnected;
  return dates.length > 0 ? [texts.noCalls, ...dates].join(', ') : texts.none;
}

/** The price of query and variables as they are in the editors; null while they change or run. */
function usePrice(): Priced | null {
  const query = useQueryText();
  const text = useVariablesText();
  const operationName = useGraphiQL((state) => state.operationName);
  const isFetching = useGraphiQL((state) => state.isFetching);
  const keys = usePage(({ keys }) => keys);
  const headersText = useHeadersText();
  const load = useMemo(() => {
    const variables = readValues(text);
    if (isFetching || variables === null) return null;
    const own = Object.entries(readValues(headersText) ?? {}).map(([name, value]) => [name, String(value)]);
    const headers: TabHeaders = { ...Object.fromEntries(own), ...keyHeaders(keys) };
    const request = { query, variables, operationName: operationName ?? null };
    return (signal: AbortSignal) => fetchPrice(request, headers, signal);
  }, [query, text, operationName, isFetching, keys, headersText]);
  return useAwaited(load, TYPING_ENDED_MS) ?? null;
}

/** The calls of each service, at most, and what is left of the quota. */
function describe({ calls, total }: Price, texts: PriceTexts): string {
  const services = new Map<string, number>();
  for (const { service, estimated } of calls) {
    if (estimated > 0) services.set(service, estimated + (services.get(service) ?? 0));
  }
  const shares = [...services].map(([service, count]) => `${count} ${labelOfService(service)}`);
  const left = leftOf(calls, texts.leftFor);
  return [`${texts.calls(total)} (${shares.join(', ')})`, ...left].join(texts.and);
}

/** The counter that has least left after this query. */
function leftOf(calls: Price['calls'], say: (left: number, isShort: boolean, service: string) => string): string[] {
  let [tightest, shown]: [number, string[]] = [Number.POSITIVE_INFINITY, []];
  for (const { service, estimated, quotaLeft } of calls) {
    if (quotaLeft === null || estimated === 0 || quotaLeft - estimated >= tightest) continue;
    tightest = quotaLeft - estimated;
    shown = [say(quotaLeft, tightest < 0, labelOfService(service))];
  }
  return shown;
}

/** False once the gateway has shown that it reports no prices here. */
let hasPrices = true;

/**
 * What a query would cost, by a dry run, which makes no call. Null for an incomplete query, or one without a price.
 * Rejects if the signal aborts or there is no response.
 */
async function fetchPrice(request: GraphqlRequest, headers: TabHeaders, signal: AbortSignal): Promise<Priced | null> {
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
interface Priced extends Price {
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
