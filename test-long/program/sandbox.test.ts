import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedWorld } from '../../sandbox/world/index.js';
import { freePorts } from '../../test/bounds/support/free-port.js';
import { createBrowser } from '../../test/sandbox/waste/platform.js';
import { the } from '../../test/scenarios/samples.js';
import { SHORT_LIVED } from '../../test/v8-flags.js';

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const CALLBACK = 'http://127.0.0.1:4100/auth/waste/callback';

describe('npm run sandbox', () => {
  let program: ChildProcess | null = null;
  let firstPort = 0;
  /** What it prints. */
  let variables: ReadonlyMap<string, string>;

  beforeAll(async () => {
    firstPort = await freePorts(4);
    const args = ['--redirect-uri', CALLBACK, '--port', String(firstPort)];
    const started = spawn(process.execPath, [...SHORT_LIVED, MAIN, 'sandbox', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    program = started;
    let printed = '';
    started.stdout.on('data', (chunk) => {
      printed += String(chunk);
    });
    const ended = once(started, 'exit').then(([code]) => {
      throw new Error(`The sandbox ended with ${code}.`);
    });
    while (!printed.includes('WASTE_CLIENT_SECRET=')) await Promise.race([once(started.stdout, 'data'), ended]);
    ended.catch(() => {});
    variables = new Map([...printed.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
  });
  afterAll(() => program?.kill());

  /** The status of an authorization request by a user who is logged in. */
  async function authorize(redirectUri: string): Promise<number> {
    const url = variables.get('WASTE_API_URL') ?? '';
    const browser = createBrowser();
    const { email, password } = the(sharedWorld().wasteUsers[0]);
    await browser.post(`${url}/login`, { email, password });
    const client = variables.get('WASTE_CLIENT_ID') ?? '';
    const query = new URLSearchParams({ response_type: 'code', client_id: client, redirect_uri: redirectUri });
    return (await browser.get(`${url}/oauth2/authorize?${query}`)).status;
  }

  it('lets logins return to a gateway on port 4000, and to the address that it is given', async () => {
    const statuses = ['4000', '4100', '4200'].map((port) => authorize(CALLBACK.replace('4100', port)));
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  });

  it('listens at the ports that it is given, where each service can be told to fail', async () => {
    const addresses = ['WORK_STUDY_URL', 'VOLUNTEERING_URL', 'WASTE_API_URL', 'WASTE_AUTH_URL'];
    const ports = addresses.map((name) => Number(new URL(variables.get(name) ?? '').port));
    expect([...ports].sort()).toEqual([0, 1, 2, 3].map((step) => firstPort + step));
    const faults = `http://127.0.0.1:${firstPort + 1}/__sandbox/faults`;
    await fetch(faults, { method: 'POST', body: JSON.stringify({ kind: 'status', status: 503 }) });
    expect((await fetch(`${variables.get('VOLUNTEERING_URL')}/v0/mission`)).status).toBe(503);
  });
});

it.each([1, 3])('npm run sandbox ends with what to do if the port %i after its first is taken', async (step) => {
  const firstPort = await freePorts(4);
  const taken = createServer().listen(firstPort + step, '127.0.0.1');
  await once(taken, 'listening');
  const args = [...SHORT_LIVED, MAIN, 'sandbox', '--port', String(firstPort)];
  const program = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')]);
  taken.close();
  expect(code).toBe(1);
  expect(said).toContain(`Port ${firstPort + step} on 127.0.0.1 is taken`);
  expect(said).toContain('--port');
});
