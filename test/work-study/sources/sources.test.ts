import { expect, it } from 'vitest';
import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import type { Download } from '../../../subgraphs/rest/upstream.js';
import { fresh } from '../support/harness.js';

/** Guards the state of the sources as a single subgraph knows it. */

it('names all sources by reference and knows the state of its own alone, without a call', () =>
  fresh(async ({ send, service }) => {
    const { data, errors } = await send('{ sources { __typename name ... on WorkStudySource { state } } }');
    expect(errors).toEqual([]);
    const typed = SERVICES.map((name) => ({ __typename: SERVICE_ENTRIES[name].source.type, name }));
    expect(data.sources).toEqual(typed.map((one) => (one.name === 'work-study' ? { ...one, state: 'UP' } : one)));
    expect(service.calls).toEqual([]);
  }));

it('answers its state by reference, and that it is loading while the export is', () =>
  fresh(async ({ send, service, subgraph }) => {
    service.fault({ kind: 'latency', ms: 60_000, path: '/storage' });
    const organization = { __typename: 'Organization', id: '1', siret: '13002526500013', sirets: [] };
    await send(
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Organization { workplacesComplete } } }',
      {
        variables: { of: [organization] },
      },
    );
    const { data } = await send(
      '{ _entities(representations: [{ __typename: "WorkStudySource", name: "work-study" }]) { ... on WorkStudySource { name state } } }',
    );
    expect(data._entities).toEqual([{ name: 'work-study', state: 'LOADING' }]);
    expect(subgraph.status()).toMatchObject({ state: 'LOADING', upstream: 'sandbox' });
  }));

it('is DEGRADED, and says why, while there is no room for the export on the disk', () => {
  async function* download({ onLength }: Download): AsyncIterable<Uint8Array> {
    onLength?.(2 ** 60);
    yield Buffer.from('[');
  }
  return fresh(
    async ({ send, subgraph }) => {
      await subgraph.warmUp();
      const { data } = await send('{ sources { ... on WorkStudySource { name state detail } } }');
      expect(data.sources[0]).toEqual({
        name: 'work-study',
        state: 'DEGRADED',
        detail: expect.stringMatching(/^the daily export needs \d+ MB in the temporary folder, where \d+ MB are free$/),
      });
    },
    undefined,
    { download },
  );
});
