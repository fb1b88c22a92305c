import { countInEnglish, countInFrench } from '../language/count.js';
import { defineTexts } from '../language/texts.js';

/** Texts of what a query would cost. */
export const PRICE_TEXTS = defineTexts({
  en: {
    explained: 'Upstream calls that this query would make now. Estimating them makes none.',
    none: 'Price: no calls, everything is cached',
    calls: (least: number, most: number) =>
      `Price: ${least === most ? '' : `${least.toLocaleString('en')} to `}${countInEnglish(most, 'call')}`,
    and: '; ',
    left: (service: string, left: number) => `${left.toLocaleString('en')} left for ${service}`,
    short: (service: string, left: number) => `only ${left.toLocaleString('en')} left for ${service}`,
  },
  fr: {
    explained: 'Appels aux services que cette requête ferait maintenant. Le demander n’en fait aucun.',
    none: 'Coût : aucun appel, tout est en cache',
    calls: (least, most) =>
      `Coût : ${least === most ? '' : `${least.toLocaleString('fr')} à `}${countInFrench(most, 'appel')}`,
    and: ' ; ',
    left: (service, left) => `il en reste ${left.toLocaleString('fr')} pour ${service}`,
    short: (service, left) => `il n’en reste que ${left.toLocaleString('fr')} pour ${service}`,
  },
});
