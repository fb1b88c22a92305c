import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider, useQuery } from 'urql';
import { Boundary } from '../../shared/boundary.js';
import { Login } from '../../shared/login.js';
import { CommunesDocument, MeDocument } from './__generated__/graphql.js';
import { Around } from './around.js';
import { client, thrown } from './client.js';

const RADIUS = 100;

function Page() {
  const [name, search] = useState<string | null>(null);
  const [insee, choose] = useState<string | null>(null);
  return (
    <>
      <Login me={Me} />
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

/** Who is logged in. */
function Me() {
  return (
    <Boundary>
      <Name />
    </Boundary>
  );
}

function Name() {
  const [result] = useQuery({ query: MeDocument });
  return thrown(result)?.viewer?.name;
}

// A boundary shows what it catches: that is no fault of the page, so nothing is logged.
createRoot(document.body, { onCaughtError: () => {} }).render(
  <Provider value={client}>
    <Page />
  </Provider>,
);
