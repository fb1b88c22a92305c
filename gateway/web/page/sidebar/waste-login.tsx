import { useState } from 'react';
import { disconnect, type LoginState, type Session } from './session.js';

/** Who is connected to the waste platform, with the way in and the way out. */
export function WasteLogin({ state, onChange }: { state: LoginState; onChange(): void }) {
  const [failed, setFailed] = useState(false);
  if (state.kind === 'none') return <p>This gateway has no login: it has no client of the platform configured.</p>;
  if (state.kind === 'unknown') return <p role="alert">Who is connected is not known: {state.why}</p>;
  if (!state.session.connected) return <Connect session={state.session} />;
  const { user } = state.session;
  const leave = async (): Promise<void> => {
    const isDone = await disconnect();
    setFailed(!isDone);
    if (isDone) onChange();
  };
  return (
    <>
      <p>
        Connected as <strong>{user?.name ?? user?.email ?? 'a user'}</strong>.
      </p>
      <button type="button" onClick={() => void leave()}>
        Disconnect
      </button>
      {failed && <p role="alert">The gateway could not end the session. Try again.</p>}
      <p>
        <small>The platform keeps the access until you revoke it there: Mon compte &gt; Applications et API.</small>
      </p>
    </>
  );
}

/** The questions of all tabs are still there after the login: GraphiQL keeps them in this browser. */
const LOGIN = `/auth/waste/login?${new URLSearchParams({ returnTo: '/graphiql' })}`;

function Connect({ session }: { session: Session }) {
  return (
    <>
      <p>
        {session.reconnect === true
          ? 'The platform no longer accepts the login.'
          : 'Nobody is connected: viewer answers CREDENTIALS_REQUIRED.'}
      </p>
      <a className="pa-link" href={LOGIN}>
        {session.reconnect === true ? 'Connect again' : 'Connect'}
      </a>
      <p>
        <small>Your questions wait here meanwhile.</small>
      </p>
    </>
  );
}
