import { useEffect, useState } from 'react';
import { readSources, type SourceReport } from '../asking/state-of-sources.js';
import { useCapture } from '../state/page-state.js';
import { KeyFields } from './key-fields.js';
import { type LoginState, readLogin } from './session.js';
import { SourceCard } from './source-card.js';
import { WasteLogin } from './waste-login.js';

/**
 * The three services, who is connected to the waste platform, and the user's own keys. Reloads when it is opened, when
 * a response came, and when a key was written; this costs no upstream call.
 */
export function SourcesPanel() {
  const [told, setTold] = useState<readonly SourceReport[] | Error | null>(null);
  const [login, setLogin] = useState<LoginState | null>(null);
  const [round, setRound] = useState(0);
  const askAgain = (): void => setRound(round + 1);
  const asked = useCapture();
  // biome-ignore lint/correctness/useExhaustiveDependencies: both are reasons to reload
  useEffect(() => {
    const stop = new AbortController();
    const unlessStopped =
      <T,>(set: (value: T) => void) =>
      (value: T) =>
        stop.signal.aborted || set(value);
    readSources(stop.signal).then(unlessStopped(setTold), unlessStopped(setTold));
    readLogin(stop.signal).then(unlessStopped(setLogin), () => {});
    return () => stop.abort();
  }, [round, asked]);
  return (
    <div className="pa-panel">
      <div className="pa-panel-head">
        <h2>Sources</h2>
        <button type="button" onClick={askAgain}>
          Refresh
        </button>
      </div>
      <Told told={told} />
      <h2>Waste platform</h2>
      {login === null ? <p>Loading …</p> : <WasteLogin state={login} onChange={askAgain} />}
      <h2>Your own keys</h2>
      <KeyFields onDone={askAgain} />
    </div>
  );
}

function Told({ told }: { told: readonly SourceReport[] | Error | null }) {
  if (told === null) return <p>Loading …</p>;
  if (told instanceof Error) return <p role="alert">Their state is unknown: {told.message}</p>;
  return (
    <ul className="pa-sources">
      {told.map((source) => (
        <li key={source.name}>
          <SourceCard source={source} />
        </li>
      ))}
    </ul>
  );
}
