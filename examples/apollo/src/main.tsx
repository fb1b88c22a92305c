import { ApolloProvider, useLazyQuery, useQuery } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { loginAddress, logOut, readSession, type Session } from '../../shared/session.js';
import { CommunesDocument, MeDocument } from './__generated__/graphql.js';
import { Around } from './around.js';
import { client, errorsOf } from './client.js';
import { Notices } from './notices.js';

const RADIUS = 100;

function Page() {
  const [find, { data, error }] = useLazyQuery(CommunesDocument);
  const [insee, choose] = useState<string | null>(null);
  return (
    <>
      <Login />
      <form action={(form) => void find({ variables: { name: String(form.get('name')) } })}>
        <input name="name" aria-label="Commune" required />
        <button type="submit">Search</button>
      </form>
      <Notices errors={errorsOf(error)} />
      <section aria-label="Communes">
        {data?.communesByName?.map(
          (commune) =>
            commune?.code?.insee != null && (
              <button type="button" key={commune.id} onClick={() => choose(commune.code?.insee ?? null)}>
                {commune.nom}
              </button>
            ),
        )}
      </section>
      {insee !== null && <Around insee={insee} radius={RADIUS} />}
    </>
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
  const { data, error } = useQuery(MeDocument);
  // Reloading empties the cache: `viewer` is somebody else after a login or logout.
  const leave = () => void logOut().then(() => location.reload());
  return (
    <p>
      <Notices errors={errorsOf(error)} />
      {data?.viewer?.name}{' '}
      <button type="button" onClick={leave}>
        Log out
      </button>
    </p>
  );
}

createRoot(document.body).render(
  <ApolloProvider client={client}>
    <Page />
  </ApolloProvider>,
);
