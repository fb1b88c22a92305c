import { useState } from 'react';
import { useTexts } from '../language/texts.js';
import { ConnectLink } from './connect-link.js';
import { disconnect, type LoginState, type Session } from './session.js';
import { SIDEBAR_TEXTS } from './texts.js';

/** Shows who is connected to the waste platform, with links to connect and disconnect. */
export function WasteLogin({ state, onChange }: { state: LoginState; onChange(): void }) {
  const [failed, setFailed] = useState(false);
  const texts = useTexts(SIDEBAR_TEXTS);
  if (state.kind === 'none') return <p>{texts.loginOff}</p>;
  if (state.kind === 'unknown') return <p role="alert">{texts.loginUnknown(state.why)}</p>;
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
        {texts.connected} <strong>{user?.name ?? user?.email ?? texts.someone}</strong>.
      </p>
      <button type="button" onClick={() => void leave()}>
        {texts.disconnect}
      </button>
      {failed && <p role="alert">{texts.disconnectFailed}</p>}
      <p>
        <small>{texts.revoke}</small>
      </p>
    </>
  );
}

function Connect({ session }: { session: Session }) {
  const texts = useTexts(SIDEBAR_TEXTS);
  return (
    <>
      <p>{session.reconnect === true ? texts.notAccepted : texts.notConnected}</p>
      <ConnectLink isAgain={session.reconnect === true} />
      <p>
        <small>{texts.queriesStay}</small>
      </p>
    </>
  );
}
