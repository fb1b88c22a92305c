import { type ComponentType, useEffect, useState } from 'react';
import { loginAddress, logOut, readSession, type Session } from './session.js';

/** A link to the login, or `me` for whoever is logged in, with a button that ends the session. */
export function Login({ me: Me }: { readonly me: ComponentType }) {
  const [session, setSession] = useState<Session | null>(null);
  useEffect(() => void readSession().then(setSession), []);
  if (session === null) return null;
  if (!session.connected) return <a href={loginAddress()}>{session.reconnect ? 'Log in again' : 'Log in'}</a>;
  // Reloading empties the cache: `viewer` is somebody else after a login or logout.
  const leave = () => void logOut().then(() => location.reload());
  return (
    <p>
      <Me />{' '}
      <button type="button" onClick={leave}>
        Log out
      </button>
    </p>
  );
}
