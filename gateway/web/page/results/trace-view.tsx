import type { PlanNode, Trace } from '../../../../schema/trace.js';
import { formatCount, formatMs } from '../elements/format.js';
import { QuotaMeter } from '../elements/quota-meter.js';
import { ServiceName } from '../elements/service-name.js';
import type { QueryResult } from '../responses/query-result.js';
import { CallTable } from './call-table.js';

/** The trace: totals, plan, calls, and what is left of the quotas. */
export function TraceView({ result }: { result: QueryResult }) {
  const { trace } = result;
  if (trace === null) return <p className="pa-empty">This response has no trace.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section className="pa-scroll pa-trace" aria-label="Trace" tabIndex={0}>
      <Totals trace={trace} ms={result.ms} />
      <h2>Plan</h2>
      {trace.plan === null ? (
        <p>None: the query was refused before it was planned.</p>
      ) : (
        <Plan node={trace.plan} trace={trace} />
      )}
      <h2>Upstream calls</h2>
      <CallTable trace={trace} />
      <h2>Quota left</h2>
      <Quotas trace={trace} />
    </section>
  );
}

function Totals({ trace, ms }: { trace: Trace; ms: number }) {
  const { callsMade, savedByCache, savedBySharing } = trace.totals;
  const facts = [
    ['Gateway', formatMs(trace.timings.totalMs)],
    ['Planning', formatMs(trace.timings.planMs)],
    ['Browser', formatMs(ms)],
    ['Calls made', String(callsMade)],
    ['Saved by the cache', String(savedByCache)],
    ['Saved by sharing', String(savedBySharing)],
    ['Request', trace.requestId],
  ] as const;
  return (
    <dl className="pa-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Plan({ node, trace }: { node: PlanNode; trace: Trace }) {
  return (
    <ul className="pa-plan">
      <PlanItem node={node} trace={trace} />
    </ul>
  );
}

function PlanItem({ node, trace, path = '' }: { node: PlanNode; trace: Trace; path?: string }) {
  const here = node.path ?? path;
  const calls = node.kind === 'Fetch' ? callsOf(trace, node.service, here) : null;
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

/** The numbers of the calls that a fetch made. */
function callsOf({ calls }: Trace, service: string | undefined, path: string): string {
  const numbers = calls.flatMap((call, index) =>
    call.service === service && call.planNode === path ? [index + 1] : [],
  );
  if (numbers.length === 0) return 'no calls';
  const listed = numbers.slice(0, 8).map((number) => `#${number}`);
  return `${formatCount(numbers.length, 'call')}: ${listed.join(' ')}${numbers.length > 8 ? ' …' : ''}`;
}

function Quotas({ trace: { calls, sources } }: { trace: Trace }) {
  const made = calls.filter(({ cache }) => cache === 'MISS' || cache === 'BYPASS');
  const used = sources.filter(({ name, quota }) => quota !== undefined || made.some(({ service }) => service === name));
  if (used.length === 0) return <p>No call was made.</p>;
  return (
    <ul className="pa-quotas">
      {used.map(({ name, quota }) => (
        <li key={name}>
          {quota ? (
            <QuotaMeter name={name} quota={quota} />
          ) : (
            <p className="pa-quota">{name}: not reported by the source</p>
          )}
        </li>
      ))}
    </ul>
  );
}
