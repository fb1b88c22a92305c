import type { Trace, UpstreamCall } from '../../../kernel/trace.js';
import { QuotaMeter, ServiceName } from '../elements/controls.js';
import { formatBytes, formatDuration, formatMs } from '../elements/format.js';
import { countInEnglish, countInFrench, defineTexts, textsNow, useTexts } from '../state/language.js';
import type { QueryResult } from '../state/query-result.js';

/** What operators read: status, size and times, and the trace: totals, calls, what is left of the quotas. */
export function TraceView({ result }: { result: QueryResult }) {
  const { trace, status, bytes, ms } = result;
  const texts = useTexts(TRACE_TEXTS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section className="pa-scroll pa-trace" aria-label={texts.trace} tabIndex={0}>
      <Facts names={texts.response} values={[`HTTP ${status}`, formatBytes(bytes), formatMs(ms)]} />
      {trace === null ? (
        <p className="pa-empty">{texts.none}</p>
      ) : (
        <>
          <Totals trace={trace} />
          <h2>{texts.calls}</h2>
          <CallTable trace={trace} />
          <h2>{texts.quotas}</h2>
          <Quotas trace={trace} />
        </>
      )}
    </section>
  );
}

function Totals({ trace: { totals, timings, requestId } }: { trace: Trace }) {
  const texts = useTexts(TRACE_TEXTS);
  const { callsMade, savedByCache, savedBySharing } = totals;
  const times = [formatMs(timings.totalMs), formatMs(timings.planMs)];
  const calls = [callsMade, savedByCache, savedBySharing].map(String);
  return <Facts names={texts.facts} values={[...times, ...calls, requestId]} />;
}

function Facts({ names, values }: { names: readonly string[]; values: readonly string[] }) {
  return (
    <dl className="pa-facts">
      {names.map((name, index) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{values[index]}</dd>
        </div>
      ))}
    </dl>
  );
}

function Quotas({ trace: { calls, sources } }: { trace: Trace }) {
  const texts = useTexts(TRACE_TEXTS);
  const made = calls.filter(({ cache }) => cache === 'MISS' || cache === 'BYPASS');
  const used = sources.filter(({ name, quota }) => quota !== undefined || made.some(({ service }) => service === name));
  if (used.length === 0) return <p>{texts.noCall}</p>;
  return (
    <ul className="pa-quotas">
      {used.map(({ name, quota }) => (
        <li key={name}>
          {quota ? <QuotaMeter name={name} quota={quota} /> : <p className="pa-quota">{texts.notReported(name)}</p>}
        </li>
      ))}
    </ul>
  );
}

/** All upstream calls on a common timeline. */
function CallTable({ trace: { calls, callsOmitted } }: { trace: Trace }) {
  const texts = useTexts(TRACE_TEXTS);
  const end = Math.max(1, ...calls.map(({ startMs, ms }) => startMs + ms));
  if (calls.length === 0) return <p>{texts.nothing}</p>;
  return (
    <table className="pa-table pa-calls">
      <caption>{callsOmitted > 0 ? texts.omitted(callsOmitted) : texts.inOrder}</caption>
      <thead>
        <tr>
          {texts.columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {calls.map((call, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a trace never changes
          <Call key={at} number={at + 1} call={call} end={end} />
        ))}
      </tbody>
    </table>
  );
}

function Call({ number, call, end }: { number: number; call: UpstreamCall; end: number }) {
  return (
    <tr>
      <td className="pa-number">{number}</td>
      <td>
        <ServiceName name={call.service} />
      </td>
      <td>
        <Bar from={call.startMs} ms={call.ms} end={end} />
      </td>
      <td className="pa-number">{formatMs(call.ms)}</td>
      <td>
        <span className={`pa-cache-${call.cache}`}>{call.cache}</span>
      </td>
      <td>
        <code>
          {call.method} {call.path}
        </code>
      </td>
      <td>{outcome(call)}</td>
      <td className="pa-number">{call.entities}</td>
      <td className="pa-number">{call.bytes === 0 ? '' : formatBytes(call.bytes)}</td>
    </tr>
  );
}

/** Status, error, age and retries of a call. */
function outcome({ status, error, retries, stale }: UpstreamCall): string {
  const texts = textsNow(TRACE_TEXTS);
  const words = [
    status === null ? '' : String(status),
    error ?? '',
    stale === undefined ? '' : texts.stale(formatDuration(stale.ageSeconds), stale.reason),
    retries === 0 ? '' : texts.retries(retries),
  ];
  return words.filter(Boolean).join(', ');
}

/** Drawn as SVG, since its attributes are not subject to the page's style policy. */
function Bar({ from, ms, end }: { from: number; ms: number; end: number }) {
  return (
    <svg className="pa-bar-line" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect className="pa-bar-rest" width="100" height="8" />
      <rect className="pa-bar-time" x={(from / end) * 100} width={Math.max(0.8, (ms / end) * 100)} height="8" />
    </svg>
  );
}

/** Texts of the trace. */
export const TRACE_TEXTS = defineTexts({
  en: {
    trace: 'Trace',
    none: 'This response has no trace.',
    calls: 'Upstream calls',
    quotas: 'Quota left',
    response: ['Response', 'Size', 'Browser'],
    facts: ['Gateway', 'Planning', 'Calls made', 'Saved by the cache', 'Saved by sharing', 'Request'],
    noCall: 'No call was made.',
    notReported: (name: string) => `${name}: not reported by the source`,
    nothing: 'None.',
    omitted: (count: number) => `${countInEnglish(count, 'further call')} counted, not listed.`,
    inOrder: 'In the order they started.',
    columns: ['#', 'Source', 'Timeline', 'Took', 'Cache', 'Request', 'Status', 'Serves', 'Size'],
    retries: (count: number) => countInEnglish(count, 'retry', 'retries'),
    stale: (age: string, reason: string) => `${age} old (${reason})`,
  },
  fr: {
    trace: 'Trace de la requête',
    none: 'Cette réponse n’a pas de trace.',
    calls: 'Appels aux services',
    quotas: 'Quota restant',
    response: ['Réponse', 'Taille', 'Navigateur'],
    facts: ['Passerelle', 'Planification', 'Appels faits', 'Évités par le cache', 'Évités par partage', 'Requête'],
    noCall: 'Aucun appel n’a été fait.',
    notReported: (name) => `${name} : non annoncé par la source`,
    nothing: 'Aucun.',
    omitted: (count) =>
      `${countInFrench(count, 'autre appel compté, non listé', 'autres appels comptés, non listés')}.`,
    inOrder: 'Dans l’ordre de leur départ.',
    columns: ['N°', 'Service', 'Chronologie', 'Durée', 'En cache', 'Appel', 'Statut', 'Sert', 'Taille'],
    retries: (count) => countInFrench(count, 'nouvel essai', 'nouveaux essais'),
    stale: (age, reason) => `date de ${age} (${reason})`,
  },
});
