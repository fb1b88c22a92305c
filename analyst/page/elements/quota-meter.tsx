import type { QuotaLeft } from '../../../kernel/trace.js';
import { defineTexts, useTexts } from '../language/texts.js';
import { formatDuration, formatNumber } from './format.js';

const TEXTS = defineTexts({
  en: {
    quotaOf: (name: string) => `Quota of ${name}`,
    of: (name: string) => `${name}: `,
    left: (remaining: string, limit: string) => `${remaining} of ${limit} left`,
    resets: (time: string) => `, resets in ${time}`,
    allRoutes: 'all routes',
  },
  fr: {
    quotaOf: (name) => `Quota de ${name}`,
    of: (name) => `${name} : `,
    left: (remaining, limit) => `il reste ${remaining} sur ${limit}`,
    resets: (time) => `, remise à zéro dans ${time}`,
    allRoutes: 'toutes les routes',
  },
});

/** The gateway's name for a quota that is not for one route. */
const ALL_ROUTES = 'all routes';

/** What is left of a quota, as a meter and as text. The name is that of a service or a route, or `all routes`. */
export function QuotaMeter({
  name: of,
  quota: { limit, remaining, resetSeconds },
}: {
  name: string;
  quota: QuotaLeft;
}) {
  const texts = useTexts(TEXTS);
  const name = of === ALL_ROUTES ? texts.allRoutes : of;
  return (
    <p className="pa-quota">
      <meter min={0} max={limit} low={limit / 5} value={remaining} aria-label={texts.quotaOf(name)} /> {texts.of(name)}
      {texts.left(formatNumber(remaining), formatNumber(limit))}
      {resetSeconds > 0 && texts.resets(formatDuration(resetSeconds))}
    </p>
  );
}
