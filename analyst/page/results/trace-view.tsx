import { useMemo, useState } from 'react';
import type { PlanNode, Trace, UpstreamCall } from '../../../kernel/trace.js';
import { Button } from '../elements/button.js';
import { QuotaMeter, ServiceName } from '../elements/controls.js';
import { formatBytes, formatDuration, formatMs } from '../elements/format.js';
import { countInEnglish, countInFrench, defineTexts, textsNow, useTexts } from '../state/language.js';
import type { QueryResult } from '../state/query-result.js';

/** What operators read: status, size and times, and the trace: totals, plan, calls, what is left of the quotas. */
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
          <h2>{texts.plan}</h2>
          {trace.plan === null ? (
            <p>{texts.noPlan}</p>
          ) : (
            <ul className="pa-plan">
              <PlanItem node={trace.plan} trace={trace} />
            </ul>
          )}
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

function PlanItem({ node, trace, path = '' }: { node: PlanNode; trace: Trace; path?: string }) {
  const here = node.path ?? path;
  const calls = node.service === undefined ? null : callsOf(trace, node.service, here);
  return (
    <li>
      <span className="pa-kind">{node.kind}</span> {node.service && <ServiceName name={node.service} />}{' '}
      {node.path && <code>{node.path}</code>} {node.operation && <code className="pa-operation">{node.operation}</code>}{' '}
      {calls !== null && <small>{calls}</small>}
      {node.children && node.children.length > 0 && (
        <ul>
          {node.children.map((child, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan never changes
            <PlanItem key={index} node={child} trace={trace} path={here} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The numbers of the calls that a fetch or a field made. */
function callsOf({ calls }: Trace, service: string | undefined, path: string): string {
  const numbers = calls.flatMap((call, index) =>
    call.service === service && call.planNode === path ? [index + 1] : [],
  );
  const texts = textsNow(TRACE_TEXTS);
  if (numbers.length === 0) return texts.noCalls;
  const listed = numbers.slice(0, 8).map((number) => `#${number}`);
  return texts.called(numbers.length, `${listed.join(' ')}${numbers.length > 8 ? ' …' : ''}`);
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

/** All upstream calls on a common timeline; large groups are one row until expanded. */
function CallTable({ trace }: { trace: Trace }) {
  const texts = useTexts(TRACE_TEXTS);
  const groups = useMemo(() => groupCalls(trace), [trace]);
  const end = Math.max(1, ...trace.calls.map(({ startMs, ms }) => startMs + ms));
  if (groups.length === 0) return <p>{texts.nothing}</p>;
  return (
    <table className="pa-table pa-calls">
      <caption>{trace.callsOmitted > 0 ? texts.omitted(trace.callsOmitted) : texts.inOrder}</caption>
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
        {groups.map((group) => (
          <Group key={group.key} group={group} end={end} />
        ))}
      </tbody>
    </table>
  );
}

function Group({ group, end }: { group: CallGroup; end: number }) {
  const [isOpen, setOpen] = useState(false);
  const texts = useTexts(TRACE_TEXTS);
  const rows = group.calls.map((numbered) => <Call key={numbered.number} numbered={numbered} end={end} />);
  const [first] = group.calls;
  if (group.calls.length < MIN_GROUP || first === undefined) return <>{rows}</>;
  const [min, median, max] = group.spread;
  const from = Math.min(...group.calls.map(({ call }) => call.startMs));
  const to = Math.max(...group.calls.map(({ call }) => call.startMs + call.ms));
  return (
    <>
      <tr>
        <td>
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? '−' : '+'} {group.calls.length}
          </Button>
        </td>
        <td>
          <ServiceName name={first.call.service} />
        </td>
        <td>
          <Bar from={from} ms={to - from} end={end} />
        </td>
        <td className="pa-number">{formatMs(median)}</td>
        <td>{describeOutcomes(group.calls)}</td>
        <td>
          <code>
            {first.call.method} {first.call.path}
          </code>
        </td>
        <td colSpan={3}>{texts.spread(formatMs(min), formatMs(max), formatMs(median))}</td>
      </tr>
      {isOpen && rows}
    </>
  );
}

function Call({ numbered: { number, call }, end }: { numbered: NumberedCall; end: number }) {
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

/** The cache outcomes of a group, such as `40 MISS, 6 HIT`. */
function describeOutcomes(calls: readonly NumberedCall[]): string {
  const counts = new Map<string, number>();
  for (const { call } of calls) counts.set(call.cache, (counts.get(call.cache) ?? 0) + 1);
  return [...counts].map(([cache, count]) => `${count} ${cache}`).join(', ');
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

/** A call with its number in the trace. */
interface NumberedCall {
  readonly number: number;
  readonly call: UpstreamCall;
}

/** The calls of one plan node to one path: shown as one row each, or as one expandable row. */
interface CallGroup {
  readonly key: string;
  readonly calls: readonly NumberedCall[];
  /** Durations in milliseconds. */
  readonly spread: readonly [min: number, median: number, max: number];
}

/** Groups of at least this size are one row. */
const MIN_GROUP = 21;

/** Groups the calls, in the order in which they started. */
export function groupCalls({ calls }: Pick<Trace, 'calls'>): CallGroup[] {
  const groups = new Map<string, NumberedCall[]>();
  calls.forEach((call, index) => {
    const key = `${call.service} ${call.method} ${call.path} ${call.planNode}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push({ number: index + 1, call });
  });
  return [...groups].map(([key, group]) => ({ key, calls: group, spread: spreadOf(group) }));
}

function spreadOf(group: readonly NumberedCall[]): CallGroup['spread'] {
  const sorted = group.map(({ call }) => call.ms).sort((one, other) => one - other);
  return [sorted[0] ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
}

/** Texts of the trace. */
export const TRACE_TEXTS = defineTexts({
  en: {
    trace: 'Trace',
    none: 'This response has no trace.',
    plan: 'Plan',
    noPlan: 'None: the query was refused before it was planned.',
    calls: 'Upstream calls',
    quotas: 'Quota left',
    response: ['Response', 'Size', 'Browser'],
    facts: ['Gateway', 'Planning', 'Calls made', 'Saved by the cache', 'Saved by sharing', 'Request'],
    noCalls: 'no calls',
    called: (count: number, which: string) => `${countInEnglish(count, 'call')}: ${which}`,
    noCall: 'No call was made.',
    notReported: (name: string) => `${name}: not reported by the source`,
    nothing: 'None.',
    omitted: (count: number) => `${countInEnglish(count, 'further call')} counted, not listed.`,
    inOrder: 'In the order they started.',
    columns: ['#', 'Source', 'Timeline', 'Took', 'Cache', 'Request', 'Status', 'Serves', 'Size'],
    spread: (min: string, max: string, median: string) => `${min} to ${max}, median ${median}`,
    retries: (count: number) => countInEnglish(count, 'retry', 'retries'),
    stale: (age: string, reason: string) => `${age} old (${reason})`,
  },
  fr: {
    trace: 'Trace de la requête',
    none: 'Cette réponse n’a pas de trace.',
    plan: 'Plan de la requête',
    noPlan: 'Aucun : la requête a été refusée avant d’être planifiée.',
    calls: 'Appels aux services',
    quotas: 'Quota restant',
    response: ['Réponse', 'Taille', 'Navigateur'],
    facts: ['Passerelle', 'Planification', 'Appels faits', 'Évités par le cache', 'Évités par partage', 'Requête'],
    noCalls: 'aucun appel',
    called: (count, which) => `${countInFrench(count, 'appel')} : ${which}`,
    noCall: 'Aucun appel n’a été fait.',
    notReported: (name) => `${name} : non annoncé par la source`,
    nothing: 'Aucun.',
    omitted: (count) =>
      `${countInFrench(count, 'autre appel compté, non listé', 'autres appels comptés, non listés')}.`,
    inOrder: 'Dans l’ordre de leur départ.',
    columns: ['N°', 'Service', 'Chronologie', 'Durée', 'En cache', 'Appel', 'Statut', 'Sert', 'Taille'],
    spread: (min, max, median) => `de ${min} à ${max}, médiane ${median}`,
    retries: (count) => countInFrench(count, 'nouvel essai', 'nouveaux essais'),
    stale: (age, reason) => `date de ${age} (${reason})`,
  },
});
