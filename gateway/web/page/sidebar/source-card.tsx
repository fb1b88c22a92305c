import { formatCount, formatDuration } from '../elements/format.js';
import { QuotaMeter } from '../elements/quota-meter.js';
import { ServiceName } from '../elements/service-name.js';
import type { SourceReport } from '../requests/read-sources.js';

/** One source: its state and its figures. */
export function SourceCard({ source }: { source: SourceReport }) {
  const { name, state, upstream, detail, quotas } = source;
  return (
    <>
      <ServiceName name={name} /> <span className={`pa-dot pa-dot-${state}`} aria-hidden="true" />{' '}
      <strong>{state ?? 'unknown'}</strong> <small>{MODES[upstream ?? ''] ?? 'unknown upstream'}</small>
      {detail !== null && <p>{detail}</p>}
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
          <summary>Where values differ from the documentation</summary>
          <ul>
            {source.driftPlaces.map(({ place, count }) => (
              <li key={place}>
                <code>{place}</code> {formatCount(count, 'time')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const MODES: Readonly<Record<string, string>> = {
  SANDBOX: 'sandbox: invented data',
  REAL: 'the real service',
  OFF: 'not configured',
};

const BREAKERS: Readonly<Record<string, string>> = {
  CLOSED: 'closed',
  OPEN: 'open: only trial calls',
  HALF_OPEN: 'half open: a growing share of calls',
};

function figures(report: SourceReport) {
  const { quotas, breaker, cacheHitRate, referenceAgeSeconds, drift } = report;
  const all: [string, string | null][] = [
    ['Quota', quotas.length === 0 ? 'not reported yet' : null],
    ['Circuit', breaker === null ? null : (BREAKERS[breaker] ?? breaker)],
    ['Cache hits', cacheHitRate === null ? null : `${Math.round(cacheHitRate * 100)} %, last ten minutes`],
    ['Reference data', referenceAgeSeconds === null ? null : `${formatDuration(referenceAgeSeconds)} old`],
    ['Export of', exportOf(report)],
    ['Schema drift', drift === null ? null : formatCount(drift, 'value')],
  ];
  return all.filter((figure): figure is [string, string] => figure[1] !== null);
}

/** The date of the export for SIRET look-ups; null for a source without export. */
function exportOf({ exportLoadedAt, state }: SourceReport): string | null {
  if (exportLoadedAt === undefined) return null;
  if (exportLoadedAt !== null) return exportLoadedAt.slice(0, 10);
  return state === 'LOADING' ? 'loading: workplaces by SIRET are incomplete until then' : 'not loaded yet';
}
