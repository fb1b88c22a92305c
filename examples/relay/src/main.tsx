import { Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { graphql, RelayEnvironmentProvider, useLazyLoadQuery } from 'react-relay';
import { Boundary } from '../../shared/boundary.js';
import { Login } from '../../shared/login.js';
import { Notices } from '../../shared/notices.js';
import type { mainCommunesQuery } from './__generated__/mainCommunesQuery.graphql.js';
import type { mainMeQuery } from './__generated__/mainMeQuery.graphql.js';
import { Around } from './around.js';
import { environment, errorsOf } from './client.js';

const RADIUS = 100;

function Page() {
  const [name, search] = useState<string | null>(null);
  const [insee, choose] = useState<string | null>(null);
  return (
    <>
      <Suspense>
        <Login me={Me} />
      </Suspense>
      <form action={(form) => search(String(form.get('name')))}>
        <input name="name" aria-label="Commune" required />
        <button type="submit">Search</button>
      </form>
      <section aria-label="Communes">
        <Boundary key={name}>
          <Suspense>{name !== null && <Communes name={name} choose={choose} />}</Suspense>
        </Boundary>
      </section>
      <Boundary key={insee}>
        <Suspense fallback={<p>Loading …</p>}>{insee !== null && <Around insee={insee} radius={RADIUS} />}</Suspense>
      </Boundary>
    </>
  );
}

function Communes({ name, choose }: { readonly name: string; choose(insee: string): void }) {
  const { communesByName } = useLazyLoadQuery<mainCommunesQuery>(
    graphql`
      query mainCommunesQuery($name: String!) {
        communesByName(name: $name, first: 8) {
          id
          code {
            insee
          }
          nom
        }
      }
    `,
    { name },
  );
  return communesByName?.map((commune) => {
    const insee = commune?.code?.insee;
    return insee == null ? null : (
      <button type="button" key={insee} onClick={() => choose(insee)}>
        {commune?.nom}
      </button>
    );
  });
}

/** Who is logged in. */
function Me() {
  const { viewer } = useLazyLoadQuery<mainMeQuery>(
    graphql`
      query mainMeQuery {
        viewer @catch(to: RESULT) {
          name
        }
      }
    `,
    {},
  );
  return viewer.ok ? viewer.value?.name : <Notices errors={errorsOf(viewer)} />;
}

// A boundary shows what it catches: that is no fault of the page, so nothing is logged.
createRoot(document.body, { onCaughtError: () => {} }).render(
  <RelayEnvironmentProvider environment={environment}>
    <Page />
  </RelayEnvironmentProvider>,
);
