import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import { variablesOf } from '../../sandbox/hints.js';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { SHORT_LIVED } from '../../test/v8-flags.js';

/**
 * A service is one entry of data, one entry of wiring and a folder (docs/recipes.md): a copy of the program gets those of
 * the service beside this file, composes its graph, and answers from it.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Below the dependencies, which it finds as the program does: a link to them would load some of them twice. */
let copy = '';
const running: ChildProcess[] = [];
let sandbox: Sandbox;
let received: IncomingHttpHeaders[] = [];

/** The service itself: two routes' worth of HTTP. */
const service = createServer(({ headers, url = '' }, response) => {
  if (url.includes('insee')) received.push(headers);
  response.setHeader('content-type', 'application/json').end('{"toys":[{"id":"1","name":"kite"}]}');
});

/** The file with a line that imports, and a line at the end of the table that ends with `end`. */
function addTo(file: string, importLine: string, line: string, end: string): void {
  const text = readFileSync(join(root, file), 'utf8');
  expect(text.split(end), `${file} has one table that ends so`).toHaveLength(2);
  mkdirSync(join(copy, file, '..'), { recursive: true });
  writeFileSync(join(copy, file), `${importLine}\n${text.replace(end, `\n${line}${end}`)}`);
}

function addToy(): void {
  cpSync(join(root, 'dist'), copy, { recursive: true, filter: (path) => path !== join(root, 'dist/page') });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  for (const file of ['entry.ts', 'index.ts', 'schema.graphql'])
    cpSync(join(root, 'test-long/toy-service', file), join(copy, 'subgraphs/toy', file));
  const toTable = '\n} as const satisfies Readonly<Record<string, ServiceEntry>>;';
  addTo('kernel/services.ts', "import { toy } from '../subgraphs/toy/entry.js';", '  toy,', toTable);
  addTo('subgraphs/registry.ts', "import { toySubgraph } from './toy/index.js';", '  toy: toySubgraph,', '\n};\n');
  const changed = ['kernel/services', 'subgraphs/registry', 'subgraphs/toy/entry', 'subgraphs/toy/index'];
  const flags = [
    '--ignoreConfig',
    '--noCheck',
    '--noResolve',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--verbatimModuleSyntax',
  ];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, ...flags, ...changed.map((file) => `${file}.ts`)], { cwd: copy });
  execFileSync(process.execPath, [...SHORT_LIVED, 'schema/compose.js'], { cwd: copy, stdio: 'pipe' });
}

/** Starts the program of the copy with these arguments; resolves with the address that its banner names. */
async function start(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  const { port } = service.address() as AddressInfo;
  const own = { TOY_URL: `http://127.0.0.1:${port}`, TOY_API_KEY: 'operator-of-toys', PORT: '0', CACHE_DIR: 'off' };
  const env = { PATH: process.env['PATH'] ?? '', ...variablesOf(sandbox), ...own, ...more };
  const child = spawn(process.execPath, [...SHORT_LIVED, 'main.js', ...args], {
    cwd: copy,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /Passerelle answers at ([^\s"]+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The program ended before it listened.');
}

async function send(url: string, query: string, headers: Record<string, string> = {}) {
  const json = { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data: unknown; errors?: unknown };
}

const QUERY = '{ commune(insee: "76540") { nom toys { name } } sources { name state ... on ToySource { upstream } } }';
const answered = {
  commune: { nom: 'Rouen', toys: [{ name: 'kite' }] },
  sources: [
    ...SERVICES.map((name) => expect.objectContaining({ name })),
    { name: 'toy', state: 'UP', upstream: 'REAL' },
  ],
};

describe('A service that has an entry, its wiring and a folder', () => {
  beforeAll(async () => {
    copy = mkdtempSync(join(root, 'node_modules/.cache/toy-service-'));
    service.listen(0, '127.0.0.1');
    [sandbox] = await Promise.all([startSandbox({ scale: 0.01 }), once(service, 'listening')]);
    addToy();
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    service.close();
    await sandbox.close();
    rmSync(copy, { recursive: true, force: true, maxRetries: 3 });
  });

  test('is answered from, in one process', async () => {
    const url = await start([]);
    received = [];
    expect(await send(url, QUERY, { 'x-toy-key': 'key-of-a-caller' })).toEqual({ data: answered });
    expect(await send(url, QUERY)).toEqual({ data: answered });
    expect(received.map((headers) => headers['x-key'])).toEqual(['key-of-a-caller', 'operator-of-toys']);
    const [home, ready] = await Promise.all(
      ['/', '/readyz'].map(async (path) => (await fetch(new URL(path, url))).text()),
    );
    expect(home).toContain('toys and where they are');
    expect(home).toContain('x-toy-key');
    expect(ready).toContain('"name":"toy","state":"UP"');
  });

  test('is answered from as a process of its own', async () => {
    const SUBGRAPH_TOKEN = 'token-of-the-toy-service';
    const toy = await start(['subgraph', 'toy'], { SUBGRAPH_TOKEN });
    const url = await start([], { SUBGRAPH_TOKEN, SUBGRAPH_TOY_URL: `${new URL(toy).origin}/graphql` });
    received = [];
    expect(await send(url, QUERY, { 'x-toy-key': 'key-of-a-caller' })).toEqual({ data: answered });
    expect(received.map((headers) => headers['x-key'])).toEqual(['key-of-a-caller']);
  });

  test('has its variables explained', () => {
    const help = execFileSync(process.execPath, [...SHORT_LIVED, 'main.js', '--help'], { cwd: copy, encoding: 'utf8' });
    for (const name of ['TOY_URL', 'TOY_API_KEY', 'SUBGRAPH_TOY_URL'])
      expect(help).toMatch(new RegExp(`^  ${name} `, 'm'));
  });
});
