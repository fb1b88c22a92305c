import { Fragment, useMemo, useState } from 'react';
import type { Trace, UpstreamCall } from '../../../kernel/trace.js';
import { formatBytes, formatDuration, formatMs } from '../elements/format.js';
import { ServiceName } from '../elements/service-name.js';
import { textsNow, useTexts } from '../language/texts.js';
import { type CallGroup, groupCalls, MIN_GROUP, type NumberedCall } from './call-groups.js';
import { TRACE_TEXTS } from './trace-texts.js';

/** All upstream calls on a common timeline; large groups are one row until expanded. */
export function CallTable({ trace }: { trace: Trace }) {
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
    <Fragment>
      <tr>
        <td>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? '−' : '+'} {group.calls.length}
          </button>
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
    </Fragment>
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
