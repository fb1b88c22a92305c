import { instantOf } from '../../../kernel/dates.js';
import type { Price } from '../../../kernel/price.js';
import { formatMoment, labelOfService } from '../elements/format.js';
import type { Priced } from '../request/price.js';
import { useTexts } from '../state/language.js';
import { PRICE_TEXTS } from './texts.js';

/** What a query would cost if it were run, in a few words; an empty line while that is not known. */
export function PriceLine({ price }: { price: Priced | null }) {
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
