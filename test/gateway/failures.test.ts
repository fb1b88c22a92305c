import { QueryPlanner } from '@apollo/query-planner';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { SERVICES } from '../../kernel/services.js';
import {
  type GraphqlResult,
  type OpenedGateway,
  type OpenOptions,
  openGateway,
  SHAPES,
} from './support/open-gateway.js';
import { unavailable } from './support/test-graph.js';

const MISSIONS = ['m1', 'm2', 'm3'].map((id, index) => ({
  id,
  title: `Mission ${index}`,
  city: `City ${index}`,
  postalCode: `0000${index}`,
  location: { lon: 1, lat: 2 },
  organization: { id: 'o1', title: 'Les Amis', siret: '111' },
}));

const volunteering = {
  Query: {
    missions: () => MISSIONS,
    mission: () => MISSIONS[0],
    echo: (_: unknown, { text }: { text: string }) => text,
  },
};

const workStudy = {
  Query: {
    commune: () => ({ code: { insee: '29019' }, nom: 'Brest', centre: { lon: -4, lat: 48 } }),
    sources: () => [
      { __typename: 'WorkStudySource', name: 'work-study', state: 'UP', quota: 3 },
      { __typename: 'VolunteeringSource', name: 'volunteering' },
      { __typename: 'WasteIdentitySource', name: 'waste-identity' },
    ],
  },
  Mission: {
    commune: ({ city }: { city: string }) => ({ code: { insee: city }, nom: city }),
    communeMatch: () => ({ method: 'POINT' }),
  },
};

function throwing(error: () => Error) {
  return () => {
    throw error();
  };
}

/** Code, path and service of each error, such as `UPSTREAM_UNAVAILABLE missions.0.commune volunteering`. */
function reported({ errors = [] }: GraphqlResult): string[] {
  return errors.map(({ path, extensions }) =>
    [extensions['code'], path?.join('.') ?? '(no path)', extensions['service'] ?? ''].join(' ').trim(),
  );
}

describe('an unexpected error before an operation is planned', () => {
  it('is INTERNAL for the client, and in the log under the id of its request', async () => {
    const mintCredential = throwing(() => new Error('no key, no fingerprint'));
    const gateway = await openGateway({ resolvers: { volunteering }, gateway: { mintCredential } });
    const headers = { 'x-request-id': 'unminted', 'x-volunteering-key': 'a key' };
    const response = await gateway.send('{ missions { id } }', { headers });
    expect([response.status, reported(response)]).toEqual([500, ['INTERNAL (no path)']]);
    expect(response.errors?.[0]?.extensions['requestId']).toBe('unminted');
    const logged = gateway.log.filter(({ level }) => level === 'error').map(({ fields }) => fields);
    expect(logged).toEqual([{ requestId: 'unminted', err: new Error('no key, no fingerprint') }]);
    await gateway.close();
  });
});

describe.each(SHAPES)('a failure becomes errors that a client can use, %s', (shape) => {
  let gateway: OpenedGateway | undefined;
  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  async function send(query: string, options: OpenOptions = {}, headers = {}): Promise<GraphqlResult> {
    gateway = await openGateway({ shape, resolvers: { volunteering, 'work-study': workStudy }, ...options });
    return gateway.send(query, { headers });
  }

  it('nulls the field of a failed source and lets the rest stand', async () => {
    const response = await send('{ viewer { name } mission(id: "m1") { title } }', {
      resolvers: {
        volunteering,
        'waste-identity': { Query: { viewer: throwing(() => unavailable('waste-identity')) } },
      },
    });
    expect(response.status).toBe(200);
    expect(response.data).toEqual({ viewer: null, mission: { title: 'Mission 0' } });
    expect(reported(response)).toEqual(['UPSTREAM_UNAVAILABLE viewer waste-identity']);
    expect(response.errors?.[0]?.extensions['requestId']).toBe(response.headers.get('x-request-id'));
  });

  it('passes on when a retry may succeed', async () => {
    const limited = () => new CodedError('RATE_LIMITED', 'Wait.', { service: 'work-study', retryAfterSeconds: 17 });
    const response = await send('{ commune(insee: "1") { nom } }', {
      resolvers: { 'work-study': { Query: { commune: throwing(limited) } } },
    });
    expect(response.errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 17 });
  });

  it('reports an internal error without its message, and writes that into the log', async () => {
    const response = await send('{ viewer { name } }', {
      resolvers: {
        'waste-identity': { Query: { viewer: throwing(() => new Error('http://10.0.0.1/secret failed')) } },
      },
    });
    expect(reported(response)).toEqual(['INTERNAL viewer']);
    expect(JSON.stringify(response)).not.toContain('10.0.0.1');
    const line = gateway?.log.find(({ level }) => level === 'error');
    expect(String(line?.fields['err'])).toContain('10.0.0.1');
    expect(line?.fields['requestId']).toBe(response.headers.get('x-request-id'));
  });

  it.runIf(shape === 'apart')(
    'is an internal error when the planner throws: status 500, and a log line with the request id',
    async () => {
      const planner = vi.spyOn(QueryPlanner.prototype, 'buildQueryPlan').mockImplementation(() => {
        throw new Error('no way from here to there');
      });
      const response = await send('{ missions { id } }').finally(() => planner.mockRestore());
      expect([response.status, reported(response)]).toEqual([500, ['INTERNAL (no path)']]);
      const line = gateway?.log.find(({ level }) => level === 'error');
      expect(String(line?.fields['err'])).toContain('no way from here');
      expect(line?.fields['requestId']).toBe(response.errors?.[0]?.extensions['requestId']);
    },
  );

  it('fails one entity, not the list, when a reference resolver throws', async () => {
    const response = await send('{ missions { id commune { nom } communeMatch { method } } }', {
      resolvers: {
        volunteering,
        'work-study': {
          ...workStudy,
          Mission: {
            ...workStudy.Mission,
            __resolveReference: (mission: { id: string }) => {
              if (mission.id === 'm2') throw new CodedError('BAD_USER_INPUT', 'Not this one.');
              return mission;
            },
          },
        },
      },
    });
    expect(response.data.missions.map(({ commune }: { commune: unknown }) => commune)).toEqual([
      { nom: 'City 0' },
      null,
      { nom: 'City 2' },
    ]);
    expect(reported(response)).toEqual(['BAD_USER_INPUT missions.1.commune', 'BAD_USER_INPUT missions.1.communeMatch']);
  });

  it('fails the whole list of entities with a path each when the subgraph throws before it begins', async () => {
    gateway = await openGateway({ shape, resolvers: { volunteering, 'work-study': workStudy } });
    gateway.subgraphs['work-study'].contextFor = throwing(() => unavailable('work-study'));
    const response = await gateway.send('{ missions { title place: commune { nom } } }');
    expect(response.data.missions[2]).toEqual({ title: 'Mission 2', place: null });
    expect(reported(response)).toEqual(
      [0, 1, 2].map((index) => `UPSTREAM_UNAVAILABLE missions.${index}.place work-study`),
    );
  });

  it('fails each root field with its path when the subgraph throws before it begins', async () => {
    gateway = await openGateway({ shape, resolvers: { volunteering, 'work-study': workStudy } });
    gateway.subgraphs.volunteering.contextFor = throwing(() => unavailable('volunteering'));
    const response = await gateway.send(
      'query ($no: Boolean = false) { a: echo(text: "x") missions { id commune { nom } } skipped: echo @include(if: $no) commune(insee: "1") { nom } }',
    );
    expect(response.data).toEqual({ a: null, missions: null, commune: { nom: 'Brest' } });
    expect(reported(response)).toEqual([
      'UPSTREAM_UNAVAILABLE a volunteering',
      'UPSTREAM_UNAVAILABLE missions volunteering',
    ]);
  });

  it('reports nothing of an internal error of a subgraph but its path', async () => {
    gateway = await openGateway({ shape, resolvers: { volunteering } });
    gateway.subgraphs.volunteering.contextFor = throwing(() => new TypeError('undefined is not a function'));
    const response = await gateway.send('{ missions { id } }');
    expect(response.data).toEqual({ missions: null });
    expect(reported(response)).toEqual(['INTERNAL missions']);
    expect(JSON.stringify(response)).not.toContain('undefined is not');
  });

  it.runIf(shape === 'apart')('answers DOWN for the state of a source whose subgraph cannot be asked', async () => {
    gateway = await openGateway({
      shape,
      resolvers: { 'work-study': workStudy, 'waste-identity': { WasteIdentitySource: { state: () => 'UP' } } },
    });
    gateway.subgraphs.volunteering.contextFor = throwing(() => unavailable('volunteering'));
    const response = await gateway.send('{ sources { name is: state ... on VolunteeringSource { quota } } }');
    expect(response.errors).toBeUndefined();
    expect(response.data.sources).toEqual([
      { name: 'work-study', is: 'UP' },
      { name: 'volunteering', is: 'DOWN', quota: null },
      { name: 'waste-identity', is: 'UP' },
    ]);
  });

  it.runIf(shape === 'apart')('answers DOWN for the state of a source whose reference fails alone', async () => {
    const response = await send('{ sources { name state } }', {
      resolvers: {
        'work-study': workStudy,
        volunteering: { VolunteeringSource: { __resolveReference: throwing(() => new Error('no')) } },
        'waste-identity': { WasteIdentitySource: { state: () => 'UP' } },
      },
    });
    expect(response.errors).toBeUndefined();
    expect(response.data.sources.map(({ state }: { state: string }) => state)).toEqual(['UP', 'DOWN', 'UP']);
  });

  it('tells a value that the field cannot hold at its path, and nothing of the library’s own words', async () => {
    const response = await send('{ commune(insee: "1") { nom level } }', {
      resolvers: { 'work-study': { ...workStudy, Commune: { level: () => 'MIDDLE' } } },
    });
    expect(response.data).toEqual({ commune: { nom: 'Brest', level: null } });
    expect(response.errors?.map(({ path }) => path)).toEqual([['commune', 'level']]);
    expect(response.extensions).toBeUndefined();
    expect(JSON.stringify(response)).not.toMatch(/valueCompletion|serviceName|stacktrace|MIDDLE/);
  });

  it('nulls the parent of a `!` field that failed, with one error', async () => {
    const response = await send('{ mission(id: "m1") { title communeMatch { method } } }', {
      resolvers: { volunteering, 'work-study': { ...workStudy, CommuneMatch: { method: () => null } } },
    });
    expect(response.data).toEqual({ mission: { title: 'Mission 0', communeMatch: null } });
    expect(reported(response)).toEqual(['INTERNAL mission.communeMatch.method']);
  });

  describe('an error on a field that only a join requested', () => {
    const brokenCity = {
      volunteering: { ...volunteering, Mission: { city: throwing(() => unavailable('volunteering')) } },
      'work-study': workStudy,
    };

    it('is told on the joined field, by its alias', async () => {
      const response = await send('{ mission(id: "m1") { title place: commune { code { insee } } } }', {
        resolvers: brokenCity,
      });
      expect(reported(response)).toEqual(['UPSTREAM_UNAVAILABLE mission.place volunteering']);
    });

    it('is told on every joined field that requires it, once each', async () => {
      const response = await send(
        '{ mission(id: "m1") { ...F ... on Mission { communeMatch { method } } } } fragment F on Mission { commune { nom } }',
        {
          resolvers: brokenCity,
        },
      );
      expect(reported(response).sort()).toEqual([
        'UPSTREAM_UNAVAILABLE mission.commune volunteering',
        'UPSTREAM_UNAVAILABLE mission.communeMatch volunteering',
      ]);
    });

    it('is told on both when the client requested the field too', async () => {
      const response = await send('{ mission(id: "m1") { city commune { nom } } }', { resolvers: brokenCity });
      expect(response.data).toEqual({ mission: { city: null, commune: null } });
      expect(reported(response)).toEqual([
        'UPSTREAM_UNAVAILABLE mission.city volunteering',
        'UPSTREAM_UNAVAILABLE mission.commune volunteering',
      ]);
    });

    it('is told on the joined field when another field has taken its name', async () => {
      const response = await send('{ mission(id: "m1") { city: title commune { nom } } }', { resolvers: brokenCity });
      expect(response.data.mission.city).toBe('Mission 0');
      expect(reported(response)).toEqual(['UPSTREAM_UNAVAILABLE mission.commune volunteering']);
    });

    it('is told on the joined field when it lies deeper than it', async () => {
      const location = { lon: unavailable('volunteering'), lat: 2 };
      const response = await send('{ missions { location { lat } commune { nom } } }', {
        resolvers: {
          volunteering: { Query: { missions: () => MISSIONS.map((mission) => ({ ...mission, location })) } },
          'work-study': workStudy,
        },
      });
      expect(reported(response)).toEqual(
        [0, 1, 2].map((index) => `UPSTREAM_UNAVAILABLE missions.${index}.commune volunteering`),
      );
    });

    it('is told on the joined field when a key failed', async () => {
      const response = await send('{ jobs { name organization { title } } }', {
        resolvers: {
          'work-study': {
            Query: { jobs: () => [{ name: 'Atelier' }] },
            Workplace: { siret: throwing(() => unavailable('work-study')) },
          },
          volunteering,
        },
      });
      expect(response.data.jobs).toEqual([{ name: 'Atelier', organization: null }]);
      expect(reported(response)).toEqual(['UPSTREAM_UNAVAILABLE jobs.0.organization work-study']);
    });
  });
});

describe('a subgraph that is not there', () => {
  it('fails its fields with code, service and path, and nothing else', async () => {
    const gateway = await openGateway({
      shape: 'apart',
      resolvers: { volunteering, 'work-study': workStudy },
      absent: ['work-study'],
    });
    const response = await gateway.send('{ missions { title commune { nom } } commune(insee: "1") { nom } }');
    const ready = await (await fetch(`${gateway.url}/readyz`)).json();
    await gateway.close();
    expect(response.data.missions[0]).toEqual({ title: 'Mission 0', commune: null });
    expect(response.data.commune).toBeNull();
    expect(reported(response)).toEqual([
      ...[0, 1, 2].map((index) => `UPSTREAM_UNAVAILABLE missions.${index}.commune work-study`),
      'UPSTREAM_UNAVAILABLE commune work-study',
    ]);
    expect(JSON.stringify(response)).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/);
    const states = SERVICES.map((name) => ({ name, state: name === 'work-study' ? 'DOWN' : 'UP' }));
    expect(ready).toMatchObject({ sources: states });
  });
});
