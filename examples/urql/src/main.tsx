import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider, useQuery } from 'urql';
import { loginAddress, logOut, readSession, type Session } from '../../shared/session.js';
import { CommunesDocument, MeDocument } from './__generated__/graphql.js';
import { Around } from './around.js';
import { Boundary } from './boundary.js';
import { client, thrown } from './client.js';

const RADIUS = 100;

function Page() {
  const [name, search] = useState<string | null>(null);
  const [insee, choose] = useState<string | null>(null);
  return (
    <>
      <Boundary>
        <Login />
      </Boundary>
      <form action={(form) => search(String(form.get('name')))}>
        <input name="name" aria-label="Commune" required />
        <button type="submit">Search</button>
      </form>
      <section aria-label="Communes">
        <Boundary key={name}>{name !== null && <Communes name={name} choose={choose} />}</Boundary>
      </section>
      <Boundary key={insee}>{insee !== null && <Around insee={insee} radius={RADIUS} />}</Boundary>
    </>
  );
}

function Communes({ name, choose }: { readonly name: string; choose(insee: string): void }) {
  const [result] = useQuery({ query: CommunesDocument, variables: { name } });
  return thrown(result)?.communesByName.map(({ id, code, nom }) =>
    code?.insee == null ? null : (
      <button type="button" key={id} onClick={() => choose(code.insee ?? '')}>
        {nom}
      </button>
    ),
  );
}

function Login() {
  const [session, setSession] = useState<Session | null>(null);
  useEffect(() => void readSession().then(setSession), []);
  if (session === null) return null;
  if (session.connected) return <Me />;
  return <a href={loginAddress()}>{session.reconnect ? 'Log in again' : 'Log in'}</a>;
}

function Me() {
  const [result] = useQuery({ query: MeDocument });
  // Reloading empties the cache: `viewer` is somebody else after a login or logout.
  const leave = () => void logOut().then(() => location.reload());
  return (
    <p>
      {thrown(result)?.viewer?.name}{' '}
      <button type="button" onClick={leave}>
        Log out
      </button>
    </p>
  );
}

// A boundary shows what it catches: that is no fault of the page, so nothing is logged.
createRoot(document.body, { onCaughtError: () => {} }).render(
  <Provider value={client}>
    <Page />
  </Provider>,
);
