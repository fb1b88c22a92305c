import { useEffect, useState } from 'react';
import type { QuotaLeft } from '../../../kernel/trace.js';
import { Button, QuotaMeter, ServiceName } from '../elements/controls.js';
import { formatDuration } from '../elements/format.js';
import { describeError } from '../request/error-codes.js';
import { REQUEST_TEXTS, sendQuery } from '../request/send-query.js';
import { textsNow, useTexts } from '../state/language.js';
import { useResult } from '../state/page-state.js';
import { KeyFields, type LoginState, readLogin, SIDEBAR_TEXTS, WasteLogin } from './credentials.js';

/**
 * The sources, the waste platform login, and the user's own keys. Reloads when it is opened, after each response, and
 * when a key was edited; this makes no upstream call.
 */
export function SourcesPanel() {
  const [sources, setSources] = useState<readonly SourceReport[] | Error | null>(null);
  const [login, setLogin] = useState<LoginState | null>(null);
  const [round, setRound] = useState(0);
  const reload = (): void => setRound(round + 1);
  const result = useResult();
  const texts = useTexts(SIDEBAR_TEXTS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: both are reasons to reload
  useEffect(() => {
    const stop = new AbortController();
    const unlessStopped =
      <T,>(set: (value: T) => void) =>
      (value: T) =>
        stop.signal.aborted || set(value);
    readSources(stop.signal).then(unlessStopped(setSources), unlessStopped(setSources));
    readLogin(stop.signal).then(unlessStopped(setLogin), () => {});
    return () => stop.abort();
  }, [round, result]);
  return (
    <div className="pa-panel">
      <div className="pa-panel-head">
        <h2>{texts.sources}</h2>
        <Button onClick={reload}>{texts.refresh}</Button>
      </div>
      <Sources sources={sources} />
      <h2>{texts.wastePlatform}</h2>
      {login === null ? <p>{texts.loading}</p> : <WasteLogin state={login} onChange={reload} />}
      <h2>{texts.ownKeys}</h2>
      <KeyFields onDone={reload} />
    </div>
  );
}

function Sources({ sources }: { sources: readonly SourceReport[] | Error | null }) {
  const texts = useTexts(SIDEBAR_TEXTS);
  if (sources === null) return <p>{texts.loading}</p>;
  if (sources instanceof Error) return <p role="alert">{texts.stateUnknown(sources.message)}</p>;
  return (
    <ul className="pa-sources">
      {sources.map((source) => (
        <li key={source.name}>
          <SourceCard source={source} />
        </li>
      ))}
    </ul>
  );
}

/** One source: its state and its figures. */
function SourceCard({ source }: { source: SourceReport }) {
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
    </>
  );
}

type Words = Readonly<Record<string, string>>;

function figures(report: SourceReport) {
  const { quotas, referenceAgeSeconds } = report;
  const texts = textsNow(SIDEBAR_TEXTS);
  const all: [string, string | null][] = [
    [texts.quota, quotas.length === 0 ? texts.quotaUnknown : null],
    [texts.reference, referenceAgeSeconds === null ? null : texts.old(formatDuration(referenceAgeSeconds))],
    [texts.exportOf, exportOf(report)],
  ];
  return all.filter((figure): figure is [string, string] => figure[1] !== null);
}

/** The date of the export, with the licence of its data; null for a source without export. */
function exportOf({ exportLoadedAt, state }: SourceReport): string | null {
  if (exportLoadedAt === undefined) return null;
  const { exportLicensed, exportLoading, exportMissing } = textsNow(SIDEBAR_TEXTS);
  if (exportLoadedAt !== null) return exportLicensed(exportLoadedAt.slice(0, 10));
  return state === 'LOADING' ? exportLoading : exportMissing;
}

/** A quota of a source, as the source reports it. */
interface Quota extends QuotaLeft {
  /** The calls that are counted together, such as `GET /job/v1/search`. */
  readonly scope: string;
}

/** A source as reported by the graph's `sources`; null for unknown values. */
interface SourceReport {
  readonly name: string;
  readonly state: string | null;
  readonly upstream: string | null;
  readonly detail: string | null;
  readonly referenceAgeSeconds: number | null;
  /** The smallest share first. */
  readonly quotas: readonly Quota[];
  /** Date of the export in use; undefined for a source without export. */
  readonly exportLoadedAt: string | null | undefined;
}

const SOURCES_QUERY = `query Sources { sources {
  name state upstream detail referenceAgeSeconds
  quotas { scope limit remaining resetSeconds }
  ... on WorkStudySource { exportLoadedAt }
} }`;

/**
 * The state of each source, and what is left of the quotas of the user's own keys, or of the operator's. Makes no
 * upstream call. Rejects if the gateway does not report them.
 */
async function readSources(signal: AbortSignal): Promise<SourceReport[]> {
  const { response } = await sendQuery({ query: SOURCES_QUERY, operationName: 'Sources' }, { signal });
  const [why] = response.errors ?? [];
  const { sources } = (response.data ?? {}) as unknown as Reported;
  if (!sources) throw new Error(why === undefined ? textsNow(REQUEST_TEXTS).noSources : describeError(why));
  return sources.map((source) => ({
    ...source,
    quotas: (source.quotas ?? []).toSorted((one, other) => shareLeft(one) - shareLeft(other)),
  }));
}

/** What the gateway reports; null where a part of it does not respond. */
interface Reported {
  readonly sources?: readonly (Omit<SourceReport, 'quotas'> & { readonly quotas: readonly Quota[] | null })[] | null;
}

function shareLeft({ limit, remaining }: Quota): number {
  return limit === 0 ? 0 : remaining / limit;
}
