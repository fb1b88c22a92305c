import { formatDuration } from '../elements/format.js';
import { QuotaMeter } from '../elements/quota-meter.js';
import { ServiceName } from '../elements/service-name.js';
import { textsNow, useTexts } from '../language/texts.js';
import type { SourceReport } from '../requests/read-sources.js';
import { SIDEBAR_TEXTS } from './texts.js';

/** One source: its state and its figures. */
export function SourceCard({ source }: { source: SourceReport }) {
  const { name, state, upstream, detail, quotas } = source;
  const texts = useTexts(SIDEBAR_TEXTS);
  const states: Words = texts.states;
  const modes: Words = texts.modes;
  return (
    <>
      <ServiceName name={name} /> <span className={`pa-dot pa-dot-${state}`} aria-hidden="true" />{' '}
      <strong>{states[state ?? ''] ?? texts.unknown}</strong>{' '}
      <small>{modes[upstream ?? ''] ?? texts.unknownUpstream}</small>
      {detail !== null && <p lang="en">{detail}</p>}
      {quotas.map((quota) => (
        <QuotaMeter key={quota.scope} name={quota.scope} quota={quota} />
      ))}
      <dl className="pa-figures">
        {figures(source).map(([what, value]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {source.driftPlaces.length > 0 && (
        <details>
          <summary>{texts.driftWhere}</summary>
          <ul>
            {source.driftPlaces.map(({ place, count }) => (
              <li key={place}>
                <code>{place}</code> {texts.times(count)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

type Words = Readonly<Record<string, string>>;

function figures(report: SourceReport) {
  const { quotas, breaker, cacheHitRate, referenceAgeSeconds, drift } = report;
  const texts = textsNow(SIDEBAR_TEXTS);
  const breakers: Words = texts.breakers;
  const all: [string, string | null][] = [
    [texts.quota, quotas.length === 0 ? texts.quotaUnknown : null],
    [texts.circuit, breaker === null ? null : (breakers[breaker] ?? breaker)],
    [texts.cacheHits, cacheHitRate === null ? null : texts.cacheShare(Math.round(cacheHitRate * 100))],
    [texts.reference, referenceAgeSeconds === null ? null : texts.old(formatDuration(referenceAgeSeconds))],
    [texts.exportOf, exportOf(report)],
    [texts.drift, drift === null ? null : texts.values(drift)],
  ];
  return all.filter((figure): figure is [string, string] => figure[1] !== null);
}

/** The date of the export for SIRET look-ups; null for a source without export. */
function exportOf({ exportLoadedAt, state }: SourceReport): string | null {
  if (exportLoadedAt === undefined) return null;
  if (exportLoadedAt !== null) return exportLoadedAt.slice(0, 10);
  const { exportLoading, exportMissing } = textsNow(SIDEBAR_TEXTS);
  return state === 'LOADING' ? exportLoading : exportMissing;
}
