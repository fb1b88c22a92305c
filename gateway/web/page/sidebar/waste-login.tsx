import { useState } from 'react';
import { useFrontQuestion } from '../tabs/front-question.js';
import { type SharedQuestion, shareFragment } from '../tabs/sharing.js';
import { disconnect, type LoginState, type Session } from './session.js';

/** Who is connected to the waste platform, with the way in and the way out. */
export function WasteLogin({ state, onChange }: { state: LoginState; onChange(): void }) {
  const [failed, setFailed] = useState(false);
  if (state.kind === 'none') return <p>Logging in is off: this gateway has no client of the platform configured.</p>;
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

function Connect({ session }: { session: Session }) {
  const question = useFrontQuestion();
  return (
    <>
      <p>
        {session.reconnect === true
          ? 'The platform no longer accepts the login.'
          : 'Not connected: viewer answers CREDENTIALS_REQUIRED.'}
      </p>
      <a
        className="pa-link"
        href={loginAddress('/graphiql')}
        onClick={({ currentTarget }) => {
          currentTarget.href = loginAddress(wayBack(question()));
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

/** What the gateway takes for a way back. */
const LONGEST_WAY = 2000;

const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Where the login leads back to. GraphiQL keeps the queries of all tabs in this browser, by the page's origin. On
 * one's own machine the login may end at another name of it, `127.0.0.1` for `localhost`, which has other tabs: there
 * the query in front goes along, and elsewhere it goes to no server's log.
 */
function wayBack(question: SharedQuestion): string {
  const way = `/graphiql${shareFragment(question)}`;
  return OWN_MACHINE.test(window.location.hostname) && way.length <= LONGEST_WAY ? way : '/graphiql';
}
