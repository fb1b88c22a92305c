import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { certification } from '../work-study/support/records.js';
import { tinyWorld } from '../work-study/support/tiny-world.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';

const CFDS = ['46T31203', '46T31204', '46T31205'];
const RNCP = 'RNCP37098';
const LONE = 'RNCP500';

let replicas: Replicas;
let replica: Replica;
beforeAll(async () => {
  const certifications = [...CFDS.map((cfd) => certification(cfd, RNCP)), certification('46T31207', LONE)];
  replicas = await openReplicas({ CACHE_DIR: 'off' }, tinyWorld({ certifications }));
  replica = await replicas.open();
});
afterEach(() => {
  replicas.sandbox.workStudy.clearFaults();
  replicas.sandbox.workStudy.clearCalls();
});
afterAll(() => replicas.close());

const read = (rncp: string) =>
  replica.send(`{
    certifications(rncp: "${rncp}") { complete totalCount pageInfo { hasNextPage } nodes { identifiant { cfd } } }
  }`);
const BROKEN_OFF = {
  message: 'work-study broke off its list in the middle, as it does at a record that it cannot read.',
  extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'work-study' },
};

describe('A certification list whose connection is destroyed in the middle', () => {
  test('is tried once, gives the rows before, says so in their place, and is not cached', async () => {
    const { workStudy } = replicas.sandbox;
    workStudy.fault({ kind: 'cut' });
    const { data, errors } = await read(RNCP);
    expect(data.certifications).toEqual({
      complete: false,
      totalCount: null,
      pageInfo: { hasNextPage: false },
      nodes: [{ identifiant: { cfd: CFDS[0] } }, null],
    });
    expect(errors).toMatchObject([{ ...BROKEN_OFF, path: ['certifications', 'nodes', 1] }]);
    expect(workStudy.calls).toHaveLength(1);
    workStudy.clearFaults();
    const whole = await read(RNCP);
    expect(whole.errors).toEqual([]);
    expect(whole.data.certifications).toMatchObject({ complete: true, totalCount: CFDS.length });
  });

  test('before its first row is an error with words of its own', async () => {
    const { workStudy } = replicas.sandbox;
    workStudy.fault({ kind: 'cut' });
    const { data, errors } = await read(LONE);
    expect(data).toEqual({ certifications: null });
    expect(errors).toMatchObject([{ ...BROKEN_OFF, path: ['certifications'] }]);
    expect(workStudy.calls).toHaveLength(1);
    const sources = await replica.send('{ sources { name state detail } }');
    expect(sources.data.sources).toContainEqual({ name: 'work-study', state: 'UP', detail: null });
  });
});
