import type { PlanNode, Trace } from '../../../kernel/trace.js';
import { formatMs } from '../elements/format.js';
import { QuotaMeter } from '../elements/quota-meter.js';
import { ServiceName } from '../elements/service-name.js';
import { textsNow, useTexts } from '../language/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { CallTable } from './call-table.js';
import { TRACE_TEXTS } from './trace-texts.js';

/** The trace: totals, plan, calls, and what is left of the quotas. */
export function TraceView({ result }: { result: QueryResult }) {
  const { trace } = result;
  const texts = useTexts(TRACE_TEXTS);
  if (trace === null) return <p className="pa-empty">{texts.none}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section className="pa-scroll pa-trace" aria-label={texts.trace} tabIndex={0}>
      <Totals trace={trace} ms={result.ms} />
      <h2>{texts.plan}</h2>
      {trace.plan === null ? <p>{texts.noPlan}</p> : <Plan node={trace.plan} trace={trace} />}
      <h2>{texts.calls}</h2>
      <CallTable trace={trace} />
      <h2>{texts.quotas}</h2>
      <Quotas trace={trace} />
    </section>
  );
}

function Totals({ trace, ms }: { trace: Trace; ms: number }) {
  const texts = useTexts(TRACE_TEXTS);
  const { callsMade, savedByCache, savedBySharing } = trace.totals;
  const facts = [
    formatMs(trace.timings.totalMs),
    formatMs(trace.timings.planMs),
    formatMs(ms),
    String(callsMade),
    String(savedByCache),
    String(savedBySharing),
    trace.requestId,
  ];
  return (
    <dl className="pa-facts">
      {texts.facts.map((name, index) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{facts[index]}</dd>
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
