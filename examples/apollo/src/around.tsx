import type { ErrorLike } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { errorsAt } from '../../shared/errors.js';
import { Notices } from '../../shared/notices.js';
import { AroundDocument, MissionDocument, MoreMissionsDocument } from './__generated__/graphql.js';
import { Apply } from './apply.js';
import { errorsOf } from './client.js';

/** Missions and offers around a commune: each list has its own errors, and stands without the other. */
export function Around({ insee, radius }: { readonly insee: string; readonly radius: number }) {
  const { data, error, loading, fetchMore } = useQuery(AroundDocument, { variables: { insee, radius } });
  const [opened, open] = useState<string | null>(null);
  const [paging, setPaging] = useState<Paging>({ isOn: false });
  if (loading && data === undefined) return <p>Loading …</p>;
  const errors = errorsOf(error);
  const { missions, jobSearch } = data?.commune ?? {};
  const { endCursor, hasNextPage } = missions?.pageInfo ?? {};
  // The policy of the cache adds the page to the list that is shown. Defaults are not for pages, nor is the error above theirs.
  const more = async (after: string) => {
    setPaging({ isOn: true });
    const variables = { insee, radius, after };
    const { error } = await fetchMore({ query: MoreMissionsDocument, variables, errorPolicy: 'all' });
    setPaging({ isOn: false, error });
  };
  return (
    <>
      <section aria-label="Missions">
        <h2>{missions?.totalCount ?? 'Unknown'} missions</h2>
        <Notices errors={errorsAt(errors, 'commune', 'missions')} />
        <ul>
          {missions?.edges?.map((edge) =>
            edge?.node == null ? null : (
              <li key={edge.node.id}>
                <Opener open={open} {...edge.node} />
              </li>
            ),
          )}
        </ul>
        <Notices errors={errorsOf(paging.error)} />
        {hasNextPage === true && endCursor != null && (
          <button type="button" disabled={paging.isOn} onClick={() => more(endCursor)}>
            More
          </button>
        )}
      </section>
      {opened !== null && <Detail id={opened} />}
      <section aria-label="Offers">
        <Notices errors={errorsAt(errors, 'commune', 'jobSearch')} />
        <ul>
          {jobSearch?.jobs?.map(
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
      </section>
    </>
  );
}

/** The next page, from its request on. */
interface Paging {
  readonly isOn: boolean;
  readonly error?: ErrorLike | undefined;
}

interface Openable {
  readonly id: string;
  readonly title: string | null;
  open(id: string): void;
}

function Opener({ id, title, open }: Openable) {
  return (
    <button type="button" onClick={() => open(id)}>
      {title}
    </button>
  );
}

function Detail({ id }: { readonly id: string }) {
  const { data, error } = useQuery(MissionDocument, { variables: { id } });
  return (
    <section aria-label="Mission">
      <Notices errors={errorsOf(error)} />
      <h2>{data?.mission?.title}</h2>
      <p>{data?.mission?.organizationName}</p>
      <p>{data?.mission?.description}</p>
    </section>
  );
}
