import { useState } from 'react';
import { useActiveQuery } from '../tabs/active-query.js';
import { type SharedQuery, shareFragment } from '../tabs/sharing.js';
import { disconnect, type LoginState, type Session } from './session.js';

/** Shows who is connected to the waste platform, with links to connect and disconnect. */
export function WasteLogin({ state, onChange }: { state: LoginState; onChange(): void }) {
  const [failed, setFailed] = useState(false);
  if (state.kind === 'none') return <p>Logging in is off: no client of the platform is configured in this gateway.</p>;
  if (state.kind === 'unknown') return <p role="alert">The login state is unknown: {state.why}</p>;
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

function Connect({ session }: { session: Session }) {
  const request = useActiveQuery();
  return (
    <>
      <p>
        {session.reconnect === true
          ? 'The platform no longer accepts the login.'
          : 'Not connected: viewer returns CREDENTIALS_REQUIRED.'}
      </p>
      <a
        className="pa-link"
        href={loginAddress('/graphiql')}
        onClick={({ currentTarget }) => {
          currentTarget.href = loginAddress(returnPath(request()));
        }}
      >
        {session.reconnect === true ? 'Connect again' : 'Connect'}
      </a>
      <p>
        <small>Your queries stay here.</small>
      </p>
    </>
  );
}

function loginAddress(returnTo: string): string {
  return `/auth/waste/login?${new URLSearchParams({ returnTo })}`;
}

/** Longest return path that the gateway accepts. */
const MAX_RETURN_LENGTH = 2000;

const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The target after the login. GraphiQL stores the queries of all tabs in the browser, by origin. On the user's own
 * machine the login may end at another origin, `127.0.0.1` instead of `localhost`, with other tabs: there the target
 * contains the current query. Elsewhere it does not, to keep queries out of server logs.
 */
function returnPath(request: SharedQuery): string {
  const path = `/graphiql${shareFragment(request)}`;
  return OWN_MACHINE.test(window.location.hostname) && path.length <= MAX_RETURN_LENGTH ? path : '/graphiql';
}
