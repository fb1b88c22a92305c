import { useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';
import type { Price } from '../../../kernel/price.js';
import { useTexts } from '../language/texts.js';
import { ownKeys } from '../state/own-keys.js';
import { useStore } from '../store/store.js';
import { useEditorText } from '../variables/editor-text.js';
import { readValues } from '../variables/variable-values.js';
import { fetchPrice } from './fetch-price.js';
import { PRICE_TEXTS } from './texts.js';

/** Milliseconds without a change after which the price is requested. */
const TYPING_ENDED_MS = 600;

/** What the query in front would cost if it were run; an empty line while that is not known. */
export function PriceLine() {
  const price = usePrice();
  const texts = useTexts(PRICE_TEXTS);
  return (
    <p className="pa-price" title={texts.explained}>
      {price && (price.total === 0 ? texts.none : describe(price, texts))}
    </p>
  );
}

/** The price of query and variables as they are in the editors; null while they change or run. */
function usePrice(): Price | null {
  const query = useEditorText(useGraphiQL((state) => state.queryEditor));
  const text = useEditorText(useGraphiQL((state) => state.variableEditor));
  const operationName = useGraphiQL((state) => state.operationName);
  const isFetching = useGraphiQL((state) => state.isFetching);
  const keys = useStore(ownKeys);
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
