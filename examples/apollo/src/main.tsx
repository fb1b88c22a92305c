import { ApolloProvider, useLazyQuery, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Login } from '../../shared/login.js';
import { Notices } from '../../shared/notices.js';
import { CommunesDocument, MeDocument } from './__generated__/graphql.js';
import { Around } from './around.js';
import { client, errorsOf } from './client.js';

const RADIUS = 100;

function Page() {
  const [find, { data, error }] = useLazyQuery(CommunesDocument);
  const [insee, choose] = useState<string | null>(null);
  return (
    <>
      <Login me={Me} />
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

/** Who is logged in. */
function Me() {
  const { data, error } = useQuery(MeDocument);
  return data?.viewer?.name ?? <Notices errors={errorsOf(error)} />;
}

createRoot(document.body).render(
  <ApolloProvider client={client}>
    <Page />
  </ApolloProvider>,
);
