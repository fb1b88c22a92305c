import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { runDrift } from '../../scripts/drift/command.js';
import { certificationIn, type Verdict, watchDrift } from '../../scripts/drift/watch.js';

type Json = Record<string, unknown>;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ scale: 0.1 });
});
afterEach(() => {
  for (const service of sandbox.running) {
    service.clearFaults();
    service.clearCalls();
  }
});
afterAll(() => sandbox.close());

async function watch(service: ServiceName, openapi: string | null = null) {
  const said: string[] = [];
  const calledBefore: number[] = [];
  const live = {
    service,
    env: variablesOf(sandbox),
    token: service === 'waste-identity' ? sandbox.keys.waste.token : null,
    rncp: certificationIn(sandbox),
    openapi,
  };
  const verdict = await watchDrift(live, (line) => {
    said.push(line);
    calledBefore.push(sandbox.serviceOf(service).calls.length);
  });
  return { verdict, said, calledBefore, calls: sandbox.serviceOf(service).calls.length };
}

function driftsOf(verdict: Verdict): string[] {
  if (verdict.kind === 'not probed') return [`not probed: ${verdict.reason}`];
  return verdict.drifts.flatMap(({ kind, fields }) => fields.map((field) => `${kind} ${field}`));
}

/** Changes every mission of a list or a search before it is sent. */
function changeMissions(change: (mission: Json) => void): void {
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('_id' in value && 'title' in value) change(value as Json);
    for (const below of Object.values(value)) walk(below);
  };
  sandbox.volunteering.fault({
    kind: 'wrong-type',
    path: '/v0/mission',
    change: (body) => {
      walk(body);
      return body;
    },
  });
}

describe('The drift watch', () => {
  it.each([...SERVICES])('finds none in %s as it is documented, for the price that it said first', async (service) => {
    const { verdict, said, calledBefore, calls } = await watch(service);
    expect(driftsOf(verdict)).toEqual([]);
    expect(calledBefore).toEqual([0]);
    expect(said).toEqual([expect.stringContaining(`${calls} calls to ${service},`)]);
    expect(calls).toBeLessThanOrEqual(10);
  });

  it('names the field of a value that is of another type', async () => {
    changeMissions((mission) => {
      mission['title'] = { fr: mission['title'] };
    });
    expect(driftsOf((await watch('volunteering')).verdict)).toContain('type or word Mission.title');
  });

  it('names the field of a word that no document has', async () => {
    changeMissions((mission) => {
      mission['remote'] = 'on the moon';
    });
    expect(driftsOf((await watch('volunteering')).verdict)).toContain('type or word Mission.remote');
  });

  it('names the field of codes that have another form, not of one among many that is malformed', async () => {
    let seen = 0;
    changeMissions((mission) => {
      mission['associationRNA'] = seen++ === 0 ? 'none' : 'W123456789';
    });
    expect(driftsOf((await watch('volunteering')).verdict)).toEqual([]);
    sandbox.volunteering.clearFaults();
    changeMissions((mission) => {
      mission['associationRNA'] = 'RNA-W123456789';
    });
    expect(driftsOf((await watch('volunteering')).verdict)).toEqual(['codes or words Mission.associationRNA']);
  });

  it('names the field whose value is gone, or has another name', async () => {
    sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      change: (body) => JSON.parse(JSON.stringify(body).replaceAll('"title":', '"titre":')) as unknown,
    });
    expect(driftsOf((await watch('volunteering')).verdict)).toEqual(['gone Mission.title']);
  });

  it('names the root field of a response of another form', async () => {
    sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/organization', change: (body) => ({ result: body }) });
    expect(driftsOf((await watch('volunteering')).verdict)).toContain('response Query.organizations');
  });

  it('names the fields that rest on a route which the published OpenAPI no longer has', async () => {
    const server = createServer((_request, response) => {
      const paths = { '/v0/mission': { get: {} }, '/v0/mission/search': { get: {} } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ openapi: '3.0.0', paths }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { verdict } = await watch('volunteering', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    server.close();
    expect(verdict).toMatchObject({
      drifts: [{ kind: 'route', message: 'the published OpenAPI has no GET /v0/organization' }],
    });
    expect(driftsOf(verdict)).toContain('route Query.organizations');
  });

  it('names a whole part that is gone, although another era never had it', async () => {
    changeMissions((mission) => {
      delete mission['addresses'];
    });
    expect(driftsOf((await watch('volunteering')).verdict)).toContain('gone Mission.addresses');
  });

  it('names the count that is gone, which a response has only once', async () => {
    sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/mission', set: { '/total': undefined } });
    expect(driftsOf((await watch('volunteering')).verdict)).toEqual([
      'gone MissionConnection.totalCount',
      'gone MissionSearchConnection.totalCount',
    ]);
  });

  it('does not miss what only the first missions lack', async () => {
    sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      change: (body) => {
        const { data, hits } = body as { data?: Json[]; hits?: Json[] };
        for (const mission of data ?? hits ?? [])
          if (mission['startAt'] === null || String(mission['startAt']) > new Date().toISOString()) {
            mission['organizationName'] = null;
          }
        return body;
      },
    });
    expect(driftsOf((await watch('volunteering')).verdict)).toEqual([]);
    expect(sandbox.volunteering.callLines().filter((line) => line.includes('startAt=lt'))).toHaveLength(1);
  });

  it('does not miss what only the newest organizations lack', async () => {
    sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/organization',
      change: (body) => {
        const { data, ...rest } = body as { data: Json[]; skip?: number };
        const newest = sandbox.volunteering.calls.at(-1)?.url.includes('skip=') ? [] : data;
        const sparse = newest.map(({ _id, title, createdAt, updatedAt, names, sirets, isRUP }) => ({
          ...{ _id, title, createdAt, updatedAt, names, sirets, isRUP },
        }));
        return { ...rest, data: sparse.length > 0 ? sparse : data };
      },
    });
    expect(driftsOf((await watch('volunteering')).verdict)).toEqual([]);
  });

  it('says so where a service could not be probed', async () => {
    sandbox.volunteering.fault({ kind: 'status', status: 503, path: '/v0' });
    expect(driftsOf((await watch('volunteering')).verdict)).toEqual([expect.stringMatching(/^not probed: missions: /)]);
  });
});

describe('npm run drift', () => {
  const silent = { log() {}, error() {} };
  const drift = (args: readonly string[], env: Record<string, string>) => runDrift(args, env, silent);

  it('ends with 0 without drift, 1 with one, and 2 where it could not ask', async () => {
    const { VOLUNTEERING_URL = '', ...env } = variablesOf(sandbox);
    const args = ['--service', 'volunteering', '--url', VOLUNTEERING_URL];
    expect(await drift(args, env)).toBe(0);
    changeMissions((mission) => {
      mission['title'] = 7;
    });
    expect(await drift(args, env)).toBe(1);
    expect(await drift(args, {})).toBe(2);
    expect(await drift(['--service', 'volunteering', '--url', 'http://127.0.0.1:9'], env)).toBe(2);
  });

  it('says what to ask for where the key is shown no mission, and that it could not look at them', async () => {
    const { volunteering } = sandbox;
    volunteering.keysWithoutRules = ['operator'];
    const lines: string[] = [];
    const out = { log: (line: string) => void lines.push(line), error: (line: string) => void lines.push(line) };
    expect(await runDrift(['--service', 'volunteering'], variablesOf(sandbox), out)).toBe(2);
    volunteering.keysWithoutRules = [];
    expect(lines.at(-1)).toMatch(
      /^Could not probe: all of volunteering: it shows the operator's key no mission at all/,
    );
    expect(volunteering.calls).toHaveLength(5);
  });

  it('says before any call that an address of work-study has no /api', async () => {
    const said: string[] = [];
    const out = { log() {}, error: (line: string) => void said.push(line) };
    const env = { WORK_STUDY_URL: 'http://127.0.0.1:9', WORK_STUDY_API_KEY: 'key' };
    expect(await runDrift(['--service', 'work-study'], env, out)).toBe(2);
    expect(said[0]).toMatch(/^WORK_STUDY_URL does not end with \/api/);
  });

  it('says how it is used', async () => {
    const said: string[] = [];
    const out = { log: (line: string) => void said.push(line), error() {} };
    expect(await runDrift(['--help'], {}, out)).toBe(0);
    expect(said.join('\n')).toMatch(/--service +work-study, .*--openapi/s);
  });
});
