import { useState } from 'react';
import { useQuery } from 'urql';
import { Boundary } from '../../shared/boundary.js';
import {
  AroundDocument,
  type AroundQuery,
  MissionDocument,
  type MissionListFragment,
  MoreMissionsDocument,
} from './__generated__/graphql.js';
import { Apply } from './apply.js';
import { thrown } from './client.js';

interface Place {
  readonly insee: string;
  readonly radius: number;
}

/** Missions and offers around a commune: each list has its own errors, and stands without the other. */
export function Around(place: Place) {
  const [result] = useQuery({ query: AroundDocument, variables: place });
  const [opened, open] = useState<string | null>(null);
  const commune = thrown(result)?.commune;
  if (commune == null) return <p>{result.fetching ? 'Loading …' : 'No such commune.'}</p>;
  return (
    <>
      <section aria-label="Missions">
        <Boundary>
          <Missions commune={commune} open={open} place={place} />
        </Boundary>
      </section>
      {opened !== null && (
        <section aria-label="Mission" key={opened}>
          <Boundary>
            <Detail id={opened} />
          </Boundary>
        </section>
      )}
      <section aria-label="Offers">
        <Boundary>
          <Offers commune={commune} />
        </Boundary>
      </section>
    </>
  );
}

type Commune = NonNullable<AroundQuery['commune']>;

interface Listed {
  readonly place: Place;
  open(id: string): void;
}

// Reads the field here, inside its boundary: that is where its error is thrown.
function Missions({ commune, ...listed }: Listed & { readonly commune: Commune }) {
  const { missions } = commune;
  if (missions === null) return null;
  return (
    <>
      <h2>{missions.totalCount ?? 'Unknown'} missions</h2>
      <Page missions={missions} {...listed} />
    </>
  );
}

/** A page of the list, and below it the next one when asked: the cache keeps each as a list of its own. */
function Page({ missions: { edges, pageInfo }, ...listed }: Listed & { readonly missions: MissionListFragment }) {
  const [isOpen, setOpen] = useState(false);
  const { endCursor, hasNextPage } = pageInfo;
  return (
    <>
      <ul>
        {edges.map(({ node: { id, title } }) => (
          <li key={id}>
            <button type="button" onClick={() => listed.open(id)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
      {isOpen && endCursor !== null && (
        <Boundary>
          <NextPage after={endCursor} {...listed} />
        </Boundary>
      )}
      {hasNextPage && !isOpen && (
        <button type="button" onClick={() => setOpen(true)}>
          More
        </button>
      )}
    </>
  );
}

function NextPage({ after, ...listed }: Listed & { readonly after: string }) {
  const [result] = useQuery({ query: MoreMissionsDocument, variables: { ...listed.place, after } });
  const missions = thrown(result)?.commune?.missions;
  return missions == null ? <p>Loading …</p> : <Page missions={missions} {...listed} />;
}

function Detail({ id }: { readonly id: string }) {
  const [result] = useQuery({ query: MissionDocument, variables: { id } });
  const mission = thrown(result)?.mission;
  return (
    <>
      <h2>{mission?.title}</h2>
      <p>{mission?.organizationName}</p>
      <p>{mission?.description}</p>
    </>
  );
}

function Offers({ commune }: { readonly commune: Commune }) {
  return (
    <ul>
      {commune.jobSearch?.jobs?.map(
        (job, at) =>
          job !== null && (
            // Offers that the source fetches on the fly have no identifier.
            <li key={job.id ?? at}>
              {job.offer?.title}, {job.workplace?.name}
              {job.apply?.recipientId != null && <Apply recipientId={job.apply.recipientId} />}
            </li>
          ),
      )}
    </ul>
  );
}
