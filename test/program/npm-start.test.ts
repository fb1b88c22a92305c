import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.js';
import { SHORT_LIVED } from '../v8-flags.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('SIGTERM to `npm start` ends the server too', async () => {
  const npm = spawn('npm', ['run', '--silent', 'sandbox'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of npm.stdout) {
    text += String(chunk);
    if (text.includes('VOLUNTEERING_URL=') && npm.signalCode === null) npm.kill('SIGTERM');
  }
  // Standard output has ended: nobody holds it any more, neither a shell nor the server.
  const url = /^VOLUNTEERING_URL=(.*)$/m.exec(text)?.[1] ?? '';
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit');
});

it('a build without the compiler says what is missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'passerelle-production-'));
  try {
    for (const path of ['scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'main.ts', 'schema']) {
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    for (const room of [
      'kernel',
      'runtime',
      'database',
      'subgraphs',
      'rows',
      'gateway',
      'analyst',
      'sandbox',
      'wiring',
    ]) {
      symlinkSync(join(ROOT, room), join(folder, room));
    }
    const { status, stderr } = spawnSync(process.execPath, ['scripts/start.mjs'], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('`npm ci --include=dev`')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('The built program, in a folder of its own', () => {
  const folder = temporaryFolder();
  let server: ChildProcess;
  let output: Readable;
  let text = '';
  const lines = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  beforeAll(async () => {
    cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const started = spawn(process.execPath, [...SHORT_LIVED, 'dist/main.js'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'debug', CACHE_DIR: 'off' },
    });
    server = started;
    output = started.stdout;
    output.on('data', (chunk) => {
      text += String(chunk);
    });
    while (!/"startup complete".*\n/.test(text)) await once(output, 'data');
  });
  afterAll(() => void server?.kill('SIGKILL'));

  it('its first line says where each service of the sandbox is told to fail', async () => {
    const faults = lines()[0].hints.find((hint: string) => hint.startsWith('faults: '));
    const services = [...faults.matchAll(/([a-z-]+) (http\S+\/__sandbox\/faults)/g)];
    expect(services.map(([, name]) => name).sort()).toEqual(['volunteering', 'waste-identity', 'work-study']);
    for (const [, , url] of services) expect((await fetch(url)).status).toBe(200);
  });

  it('every line is JSON that names process and version, and a request leads to its upstream calls', async () => {
    const id = 'a-request-of-this-test';
    const body = JSON.stringify({ query: '{ missions(first: 1) { nodes { id } } }' });
    const headers = { 'content-type': 'application/json', 'x-request-id': id };
    await (await fetch(`${lines()[0].url}/graphql`, { method: 'POST', headers, body })).text();
    const call = () => lines().find(({ msg, requestId }) => msg === 'upstream call' && requestId === id);
    while (call() === undefined) await once(output, 'data');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = { role: 'all', instance: expect.stringMatching(`^.+:${server.pid}$`), version };
    for (const line of lines()) expect(line).toMatchObject(named);
  });

  it('a file of the page that is gone, as while it is built anew, ends its response and nothing else', async () => {
    const { url } = lines()[0];
    const assets = join(folder, 'dist', 'page', 'assets');
    const name = readdirSync(assets).find((name) => name.endsWith('.js'));
    expect((await fetch(`${url}/graphiql/assets/${name}`)).status).toBe(200);
    rmSync(assets, { recursive: true });
    await expect(fetch(`${url}/graphiql/assets/${name}`)).rejects.toThrow('fetch failed');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
