import { useEffect, useState } from 'react';
import { useTexts } from '../language/texts.js';
import { readSources, type SourceReport } from '../requests/read-sources.js';
import { useCapture } from '../state/page-state.js';
import { KeyFields } from './key-fields.js';
import { type LoginState, readLogin } from './session.js';
import { SourceCard } from './source-card.js';
import { SIDEBAR_TEXTS } from './texts.js';
import { WasteLogin } from './waste-login.js';

/**
 * The sources, the waste platform login, and the user's own keys. Reloads when it is opened, after each response, and
 * when a key was edited; this makes no upstream call.
 */
export function SourcesPanel() {
  const [sources, setSources] = useState<readonly SourceReport[] | Error | null>(null);
  const [login, setLogin] = useState<LoginState | null>(null);
  const [round, setRound] = useState(0);
  const reload = (): void => setRound(round + 1);
  const result = useCapture();
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
        <button type="button" onClick={reload}>
          {texts.refresh}
        </button>
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
