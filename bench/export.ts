/**
 * `npm run bench:export [-- --rows N]`: indexes a daily export while queries are answered. Writes an export of that many
 * rows (500,000, about a gigabyte) into a temporary folder, serves it from a process of its own, and prints size, speed,
 * memory, how late the event loop is before, during and after, and what questions cost. Everything stays on this machine, and is removed at the end.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { readArguments } from '../scripts/arguments.mjs';
import { systemClock } from '../subgraphs/rest/ports/ports.js';
import type { SiretDirectory } from '../subgraphs/work-study/export/siret-directory.js';
import { operationFor } from '../test/subgraph-harness.js';
import { temporaryFolder } from '../test/temporary-folder.js';
import { find } from '../test/work-study/support/siret-directories.js';
import { createRandom, exportRows } from './export-rows.js';
import { ALLOCATOR } from './variants.js';

/** Bounds of the figures: milliseconds until a page of 20 rows (of posts: repeated offers are one row), or counts, are there. */
const BOUNDS = {
  page: 10,
  'page with total': 40,
  'page in another order': 60,
  'page of posts': 10,
  'page with words': 150,
  'counts by one key': 80,
  'counts by two': 300,
  'counts with words': 400,
} as const;

/** The product as built, because only there the indexer has its thread. */
async function product() {
  const folder = new URL('../dist/subgraphs/work-study/', import.meta.url);
  const load = (file: string) => import(new URL(file, folder).href);
  const directory: typeof import('../subgraphs/work-study/export/siret-directory.js') =
    await load('export/siret-directory.js');
  const answers: typeof import('../subgraphs/work-study/export/answers.js') = await load('export/answers.js');
  const shapes: typeof import('../subgraphs/work-study/jobs/shapes.js') = await load('jobs/shapes.js');
  const communes: typeof import('../subgraphs/work-study/communes/commune-index.js') =
    await load('communes/commune-index.js');
  return { ...directory, ...answers, ...shapes, ...communes };
}

type Product = Awaited<ReturnType<typeof product>>;

async function measure(rows: number): Promise<void> {
  const folder = temporaryFolder();
  // In a process of its own: what writing leaves in memory is not measured.
  const upstream = fork(fileURLToPath(import.meta.url), ['upstream', join(folder, 'upstream.json'), String(rows)]);
  try {
    const [{ link, bytes, sirets, sample }] = (await once(upstream, 'message')) as [Upstream];
    console.log(`${rows} rows, ${sirets} SIRETs, ${megabytes(bytes)}`);
    const built = await product();
    // What a process has anyway.
    built.communeIndex();
    const idle = await delays(pause(5_000));

    const directory = openDirectory(built, link, join(folder, 'cache'));
    const memory = watchMemory();
    const startedMs = performance.now();
    const startedCpu = process.cpuUsage();
    const busy = await delays(directory.refreshIfDue());
    const seconds = (performance.now() - startedMs) / 1000;
    const { user, system } = process.cpuUsage(startedCpu);
    console.log(`received and indexed in ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU`);
    console.log(`memory: ${memory()}`);
    console.log(`before:    ${idle}`);
    console.log(`meanwhile: ${busy}`);
    console.log(`after:     ${await delays(pause(5_000))}`);
    console.log(`disk: ${await diskOf(join(folder, 'cache'), bytes)}`);
    await check(directory, sample);
    await askQuestions(built, directory);
    console.log(`memory: ${memory()}`);
    await directory.close();
    await restart(built, link, join(folder, 'cache'));
  } finally {
    upstream.kill();
    await rm(folder, { recursive: true, force: true });
  }
  process.exit(0);
}

function openDirectory(built: Product, link: string, folder: string): SiretDirectory {
  const log = { debug: console.log, info: console.log, warn: console.log, error: console.log };
  return new built.SiretDirectory({
    exportLink: async () => ({ url: link, lastUpdate: '2026-10-26T08:28:05.000Z' }),
    download: (url, signal) => download(url, signal),
    sender: { service: 'work-study', drift: console.log },
    clock: systemClock,
    folder,
    log,
  });
}

async function diskOf(folder: string, exportBytes: number): Promise<string> {
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  return `${megabytes(bytes)}, ${(bytes / exportBytes).toFixed(2)} times the file`;
}

/** Opens what is on disk, and waits for a first answer. */
async function restart(built: Product, link: string, folder: string): Promise<void> {
  const startedMs = performance.now();
  const directory = openDirectory(built, link, folder);
  void directory.warmUp();
  const { nodes } = await list(built, directory, { where: { department: ['75'] } });
  console.log(`after a restart, ${nodes.length} rows found in ${(performance.now() - startedMs).toFixed(0)} ms`);
  await directory.close();
}

type Arguments = Parameters<Product['listRows']>[1];
type Filters = NonNullable<Arguments['where']>;

function list(built: Product, directory: SiretDirectory, args: Arguments) {
  const wanted = { kind: 'OFFER' as const, shape: built.JobOffer, list: 'offers' };
  return built.listRows(answersFrom(directory), { first: 20, ...args }, wanted);
}

function answersFrom(directory: SiretDirectory) {
  const upstream = { sender: { service: 'work-study' as const, drift: () => {} } };
  return { directory, upstream, operation: operationFor({}) };
}

const QUESTIONS = 400;
/** So many questions before are not measured: what they use is compiled meanwhile. */
const WARM_UP = 1000;

/** Asks many questions of each kind, one after another, and compares how long they take with the bounds. */
async function askQuestions(built: Product, directory: SiretDirectory): Promise<void> {
  const random = createRandom(3);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const words = () =>
    pick(['formation', 'clients alternance', 'bac trav', 'gestion', 'boulang', 'd', 'vente ac', 'de l']);
  const filters = (): Filters => ({
    ...(random() < 0.5 && { department: [pick(['75', '69', '13', '59', '2A', '974'])] }),
    ...(random() < 0.4 && { rome: [pick(['M1805', 'D1', 'K', 'F1602'])] }),
    ...(random() < 0.3 && { diploma: [pick(['LEVEL_3', 'LEVEL_5'] as const)] }),
    ...(random() < 0.4 && {
      near: { position: { latitude: pick([48.85, 45.76, 43.3]), longitude: pick([2.35, 4.84, 5.37]) } },
      radius: pick([10, 50, 300]),
    }),
  });
  /** One in five of them of posts. */
  const mixed = (): Filters => ({ ...filters(), ...(random() < 0.2 && { duplicates: 'GROUP' as const }) });
  let next: Arguments | null = null;
  /** Now and then the page after the last one. */
  const page = async (where: Filters, orderBy: Arguments['orderBy'] = null) => {
    const args: Arguments = next ?? { where, orderBy };
    const found = await list(built, directory, args);
    const { pageInfo } = found;
    next = pageInfo.hasNextPage && random() < 0.3 ? { ...args, after: pageInfo.endCursor() } : null;
    return found;
  };
  const inAnotherOrder = () => {
    const field = pick(['TITLE', 'START', 'WORKPLACE', 'CREATION'] as const);
    return page(mixed(), { field, direction: pick(['ASC', 'DESC'] as const) });
  };
  const keys = [
    'DEPARTMENT',
    'REGION',
    'COMMUNE',
    'ROME',
    'NAF',
    'OPCO',
    'DIPLOMA',
    'PARTNER',
    'MONTH',
    'SIRET',
  ] as const;
  const counts = async (where: Filters, isByTwo = random() < 0.5) => {
    const by = [...new Set([pick(keys), ...(isByTwo ? [pick(keys)] : [])])];
    await built.countMatching(answersFrom(directory), { by, where }, 'OFFER');
  };
  const kinds = {
    page: () => page(filters()),
    'page with total': async () => (await page(filters())).total(operationFor({})),
    'page in another order': inAnotherOrder,
    'page of posts': () => page({ ...filters(), duplicates: 'GROUP' }),
    'page with words': () => page({ ...mixed(), text: words() }),
    'counts by one key': () => counts(mixed(), false),
    'counts by two': () => counts(mixed(), true),
    'counts with words': () => counts({ ...mixed(), text: words() }),
  };
  for (const [kind, ask] of Object.entries(kinds) as [keyof typeof BOUNDS, () => Promise<unknown>][]) {
    const times: number[] = [];
    next = null;
    for (let question = 0; question < WARM_UP; question++) await ask();
    for (let question = 0; question < QUESTIONS; question++) {
      const startedMs = performance.now();
      await ask();
      times.push(performance.now() - startedMs);
    }
    times.sort((one, other) => one - other);
    const at = (share: number) => (times[Math.floor(share * times.length)] ?? 0).toFixed(1);
    console.log(`${kind}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (bound ${BOUNDS[kind]} ms)`);
  }
}

/** Writes the export, and returns how many SIRETs it has, and every thousandth of them with the number of its rows. */
async function writeExport(path: string, rows: number): Promise<Pick<Upstream, 'sirets' | 'sample'>> {
  const expected = new Map<string, number>();
  const file = createWriteStream(path);
  let separator = '[';
  for (const row of exportRows({ rows })) {
    const { siret } = row.workplace;
    if (siret !== null) expected.set(siret, (expected.get(siret) ?? 0) + 1);
    if (!file.write(separator + JSON.stringify(row))) await once(file, 'drain');
    separator = ',\n';
  }
  file.end(']');
  await once(file, 'close');
  return { sirets: expected.size, sample: [...expected].filter((_, place) => place % 1_000 === 0) };
}

async function* download(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { body } = await request(url, { signal });
  yield* body;
}

/** Until a promise settles, measures how late this event loop is. */
async function delays(until: Promise<unknown>): Promise<string> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await until;
  loop.disable();
  return `event loop p99 ${(loop.percentile(99) / 1e6).toFixed(1)} ms, longest ${(loop.max / 1e6).toFixed(1)} ms`;
}

/** An export that is served. */
interface Upstream {
  readonly link: string;
  readonly bytes: number;
  readonly sirets: number;
  /** Some SIRETs, each with the number of its rows. */
  readonly sample: readonly (readonly [string, number])[];
}

async function serveExport(path: string, rows: number): Promise<void> {
  const written = await writeExport(path, rows);
  const server = createServer((_request, response) => createReadStream(path).pipe(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  process.send?.({ link: `http://127.0.0.1:${address.port}/`, bytes: (await stat(path)).size, ...written });
}

/** Watches resident memory. The returned function stops and reports how far it rose. */
function watchMemory(): () => string {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  return () => {
    clearInterval(timer);
    return `${megabytes(before)} before, at most ${megabytes(peak - before)} more, ${megabytes(process.memoryUsage.rss() - before)} more now`;
  };
}

/** Checks that each SIRET of the sample is found with its rows. */
async function check(directory: SiretDirectory, sample: Upstream['sample']): Promise<void> {
  const startedMs = performance.now();
  for (const [siret, count] of sample) {
    const rows = await find(directory, siret);
    if (rows?.length !== count) throw new Error(`${siret}: ${rows?.length} rows instead of ${count}.`);
  }
  console.log(
    `${sample.length} look-ups right, ${((performance.now() - startedMs) / sample.length).toFixed(2)} ms each`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

const [role, path = '', rows = ''] = process.argv.slice(2);
if (role === 'upstream') await serveExport(path, Number(rows));
else if (process.env['MALLOC_ARENA_MAX'] === undefined)
  fork(fileURLToPath(import.meta.url), process.argv.slice(2), { env: { ...process.env, ...ALLOCATOR } }).on(
    'exit',
    (code) => process.exit(code ?? 1),
  );
else await measure(readArguments('npm run bench:export [-- --rows N]', { rows: 500_000 }).rows);
