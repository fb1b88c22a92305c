import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { runDrift } from '../../scripts/drift.js';

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

/** Runs the command on a service of the sandbox; returns its exit code and what it printed. */
async function watch(service: ServiceName, more: readonly string[] = []) {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const env = { ...variablesOf(sandbox), DRIFT_TOKEN: sandbox.keys.waste.token };
  const code = await runDrift(['--service', service, ...more], env, { log: say, error: say });
  return { code, said, calls: sandbox.serviceOf(service).calls.length };
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
  it.each([...SERVICES])('finds none in %s as it is documented, and says how many calls it made', async (service) => {
    const { code, said, calls } = await watch(service);
    expect(said.at(-1)).toBe('No drift.');
    expect(code).toBe(0);
    const made = Number(/^(\d+) calls were made\.$/m.exec(said.join('\n'))?.[1]);
    expect(made).toBeGreaterThan(0);
    // A probe of the toolkit's own is no call of the command.
    expect(made).toBeLessThanOrEqual(calls);
    expect(calls).toBeLessThanOrEqual(10);
  });

  it('names the field of a value that is of another type', async () => {
    changeMissions((mission) => {
      mission['title'] = { fr: mission['title'] };
    });
    const { code, said } = await watch('volunteering');
    expect(code).toBe(1);
    expect(said).toContain('form: Mission.title');
  });

  it('names the field of a word that no document has, which is no drift', async () => {
    changeMissions((mission) => {
      mission['remote'] = 'on the moon';
    });
    const { code, said } = await watch('volunteering');
    expect(code).toBe(0);
    expect(said).toContain('word: Mission.remote');
  });

  it('names the field that every object promises and that is gone', async () => {
    changeMissions((mission) => {
      mission['id'] = mission['_id'];
      delete mission['_id'];
    });
    const { code, said } = await watch('volunteering');
    expect(code).toBe(1);
    expect(said).toContain('form: Mission._id');
  });

  it('names the root field of a response of another form', async () => {
    sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/organization', change: (body) => ({ result: body }) });
    const { code, said } = await watch('volunteering');
    expect(code).toBe(1);
    expect(said).toContain('form: Query.organizations');
  });

  it('names the route that the published OpenAPI no longer has, and those that it has besides', async () => {
    const paths = { '/v0/mission': { get: {} }, '/v0/mission/search': { get: {} }, '/v0/new/{id}': { get: {} } };
    const server = createServer((_request, response) => response.end(JSON.stringify({ openapi: '3.0.0', paths })));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { code, said } = await watch('volunteering', ['--openapi', url]);
    server.close();
    expect(code).toBe(1);
    expect(said).toContain('route: the published OpenAPI has no GET /v0/organization');
    expect(said).toContain('The published OpenAPI also has GET /v0/new/{id}.');
  });

  it('says so where the document cannot be read, or a service could not be probed', async () => {
    const { code, said } = await watch('volunteering', ['--openapi', 'http://127.0.0.1:9/']);
    expect([code, said.at(-1)]).toEqual([2, 'Could not probe: the OpenAPI document cannot be read.']);
    sandbox.volunteering.fault({ kind: 'status', status: 503, path: '/v0' });
    const away = await watch('volunteering');
    expect([away.code, away.said.at(-1)]).toEqual([2, expect.stringMatching(/^Could not probe: missions: /)]);
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
    expect(volunteering.calls).toHaveLength(3);
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
