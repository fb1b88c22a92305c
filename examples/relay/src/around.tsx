import { Suspense, useState } from 'react';
import { graphql, useLazyLoadQuery, usePaginationFragment } from 'react-relay';
import { Boundary } from '../../shared/boundary.js';
import type { GatewayError } from '../../shared/errors.js';
import { Notices } from '../../shared/notices.js';
import type { around_missions$key } from './__generated__/around_missions.graphql.js';
import type { aroundMissionQuery } from './__generated__/aroundMissionQuery.graphql.js';
import type { aroundQuery } from './__generated__/aroundQuery.graphql.js';
import { Apply } from './apply.js';
import { errorsOf } from './client.js';

const FIRST = 10;

/** Missions and offers around a commune: each list has its own errors, and stands without the other. */
export function Around(place: { readonly insee: string; readonly radius: number }) {
  const { commune } = useLazyLoadQuery<aroundQuery>(
    graphql`
      query aroundQuery($insee: INSEECode!, $radius: Float!, $first: Int!) {
        commune(insee: $insee) {
          missions(radius: $radius, first: $first) @catch(to: RESULT) {
            totalCount
          }
          jobSearch(radius: $radius) @catch(to: RESULT) {
            jobs {
              id
              offer {
                title
              }
              workplace {
                name
              }
              apply {
                recipientId
              }
            }
          }
          ...around_missions @arguments(radius: $radius, first: $first)
        }
      }
    `,
    { ...place, first: FIRST },
    // What is in the store at once, and asks again, which the gateway answers from its memory.
    { fetchPolicy: 'store-and-network' },
  );
  const [opened, open] = useState<string | null>(null);
  if (commune == null) return <p>No such commune.</p>;
  const { missions, jobSearch } = commune;
  return (
    <>
      <section aria-label="Missions">
        <Notices errors={errorsOf(missions)} />
        {missions.ok && <h2>{missions.value?.totalCount ?? 'Unknown'} missions</h2>}
        {missions.ok && <Missions commune={commune} open={open} />}
      </section>
      {opened !== null && (
        <section aria-label="Mission" key={opened}>
          <Boundary>
            <Suspense>
              <Detail id={opened} />
            </Suspense>
          </Boundary>
        </section>
      )}
      <section aria-label="Offers">
        <Notices errors={errorsOf(jobSearch)} />
        <ul>
          {jobSearch.ok &&
            jobSearch.value?.jobs?.map(
              (job, at) =>
                job != null && (
                  // Offers that the source fetches on the fly have no identifier.
                  <li key={job.id ?? at}>
                    {job.offer?.title}, {job.workplace?.name}
                    {job.apply?.recipientId != null && <Apply recipientId={job.apply.recipientId} />}
                  </li>
                ),
            )}
        </ul>
      </section>
    </>
  );
}

interface Listed {
  readonly commune: around_missions$key;
  open(id: string): void;
}

function Missions({ commune, open }: Listed) {
  // A commune can be fetched again by its id alone: further pages come from `node`.
  const { data, hasNext, isLoadingNext, loadNext } = usePaginationFragment(
    graphql`
      fragment around_missions on Commune
      @throwOnFieldError
      @refetchable(queryName: "aroundMissionsPageQuery")
      @argumentDefinitions(radius: { type: "Float!" }, first: { type: "Int" }, after: { type: "String" }) {
        missions(radius: $radius, first: $first, after: $after) @connection(key: "around_missions") {
          edges {
            node {
              id
              title
            }
          }
        }
      }
    `,
    commune,
  );
  const [failed, setFailed] = useState<GatewayError | null>(null);
  const more = () => loadNext(FIRST, { onComplete: setFailed });
  return (
    <>
      <ul>
        {data.missions?.edges.map(({ node: { id, title } }) => (
          <li key={id}>
            <button type="button" onClick={() => open(id)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
      <Notices errors={failed === null ? [] : [failed]} />
      {hasNext && (
        <button type="button" disabled={isLoadingNext} onClick={more}>
          More
        </button>
      )}
    </>
  );
}

function Detail({ id }: { readonly id: string }) {
  const { mission } = useLazyLoadQuery<aroundMissionQuery>(
    graphql`
      query aroundMissionQuery($id: ID!) {
        mission(id: $id) @catch(to: RESULT) {
          title
          organizationName
          description
        }
      }
    `,
    { id },
  );
  return (
    <>
      <Notices errors={errorsOf(mission)} />
      <h2>{mission.ok && mission.value?.title}</h2>
      <p>{mission.ok && mission.value?.organizationName}</p>
      <p>{mission.ok && mission.value?.description}</p>
    </>
  );
}
