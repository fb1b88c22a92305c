import { useCallback, useEffect, useState } from 'react';
import { ownKeys } from '../asking/own-keys.js';
import { knownQuotas, useCapture } from '../page-state.js';
import { ServiceName } from '../results/service-name.js';
import { useStore } from '../store.js';
import { disconnect, type Readiness, readReadiness, readSession, type Session } from './state-of-sources.js';

/** The three services, who is connected to the waste platform, and keys of one's own. */
export function SourcesPanel() {
  const [readiness, setReadiness] = useState<Readiness | null>(null);
  const [session, setSession] = useState<Session | null>(null);
  const load = useCallback(() => {
    void readReadiness().then(setReadiness);
    void readSession().then(setSession);
  }, []);
  useEffect(load, [load]);
  return (
    <div className="pa-panel">
      <h2>Sources</h2>
      {readiness === null ? <p>Asking …</p> : <SourceList readiness={readiness} />}
      <button type="button" onClick={load}>
        Ask again
      </button>
      <h2>Waste platform</h2>
      {session === null ? <p>Nobody can log in here.</p> : <Connection session={session} onChange={load} />}
      <h2>Keys of your own</h2>
      <KeyFields />
    </div>
  );
}

function SourceList({ readiness }: { readiness: Readiness }) {
  // Each answer may tell more.
  useCapture();
  const quotas = knownQuotas.now();
  return (
    <ul className="pa-sources">
      {readiness.sources.map(({ name, state, upstream, detail }) => {
        const quota = quotas.find(({ service }) => service === name);
        return (
          <li key={name}>
            <ServiceName name={name} /> <strong>{state}</strong>
            <br />
            <small>
              {MODES[upstream] ?? upstream}
              {detail && ` · ${detail}`}
              {` · quota ${quota ? `${quota.remaining} of ${quota.limit}, anew in ${quota.resetSeconds} s` : 'not told yet'}`}
            </small>
          </li>
        );
      })}
    </ul>
  );
}

const MODES: Readonly<Record<string, string>> = {
  sandbox: 'sandbox: invented data',
  real: 'the real service',
  off: 'not configured',
};

function Connection({ session, onChange }: { session: Session; onChange(): void }) {
  const { connected, reconnect, user } = session;
  const login = `/auth/waste/login?${new URLSearchParams({ returnTo: '/graphiql' })}`;
  if (!connected) {
    return (
      <>
        <p>
          {reconnect
            ? 'The platform no longer accepts the login.'
            : 'Not connected: viewer answers CREDENTIALS_REQUIRED.'}
        </p>
        <a className="pa-link" href={login}>
          {reconnect ? 'Connect again' : 'Connect'}
        </a>
      </>
    );
  }
  return (
    <>
      <p>
        Connected as <strong>{user?.name ?? user?.email ?? 'a user'}</strong>.
      </p>
      <button type="button" onClick={() => void disconnect().then(onChange)}>
        Disconnect
      </button>
      <p>
        <small>The platform keeps the access until you revoke it there: Mon compte &gt; Applications et API.</small>
      </p>
    </>
  );
}

function KeyFields() {
  const keys = useStore(ownKeys);
  return (
    <>
      <p>
        <small>
          Each goes to its service and nowhere else. They live in this page until it is closed: never stored, never in a
          link.
        </small>
      </p>
      <label>
        work-study{' '}
        <input
          type="password"
          autoComplete="off"
          value={keys.workStudy}
          onChange={({ target }) => ownKeys.set({ ...keys, workStudy: target.value.trim() })}
        />
      </label>
      <label>
        volunteering{' '}
        <input
          type="password"
          autoComplete="off"
          value={keys.volunteering}
          onChange={({ target }) => ownKeys.set({ ...keys, volunteering: target.value.trim() })}
        />
      </label>
    </>
  );
}
