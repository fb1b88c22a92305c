import { instantOf } from '../../../kernel/dates.js';
import type { Price } from '../../../kernel/price.js';
import { formatMoment, labelOfService } from '../elements/format.js';
import type { Priced } from '../request/price.js';
import { countInEnglish, countInFrench, defineTexts, useTexts } from '../state/language.js';

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

/** Texts of what a query would cost. */
export const PRICE_TEXTS = defineTexts({
  en: {
    explained: 'Upstream calls that this query would make now, at most. Estimating them makes none.',
    none: 'No calls, everything is cached',
    noCalls: 'No calls',
    dataOf: (date: string) => `data of ${date}`,
    whenConnected: 'Price known once you are connected',
    chip: (most: number) => `≤ ${countInEnglish(most, 'call')}`,
    left: (left: number, isShort: boolean) => `${isShort ? 'only ' : ''}${left.toLocaleString('en')} left`,
    calls: (most: number) => countInEnglish(most, 'call'),
    and: '; ',
    leftFor: (left: number, isShort: boolean, service: string) =>
      `${isShort ? 'only ' : ''}${left.toLocaleString('en')} left for ${service}`,
  },
  fr: {
    explained: 'Appels aux services que cette requête ferait maintenant, au plus. Le demander n’en fait aucun.',
    none: 'Aucun appel, tout est en cache',
    noCalls: 'Aucun appel',
    dataOf: (date) => `données du ${date}`,
    whenConnected: 'Coût connu une fois connecté',
    chip: (most) => `≤ ${countInFrench(most, 'appel')}`,
    left: (left, isShort) => `il ${isShort ? 'n’en reste que' : 'en reste'} ${left.toLocaleString('fr')}`,
    calls: (most) => countInFrench(most, 'appel'),
    and: ' ; ',
    leftFor: (left, isShort, service) =>
      `il ${isShort ? 'n’en reste que' : 'en reste'} ${left.toLocaleString('fr')} pour ${service}`,
  },
});
