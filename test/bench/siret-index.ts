/**
 * `npm run bench:export [-- --offers N]`: indexes a daily export while queries are answered. Writes an export of that
 * many offers (300,000, about a gigabyte) into a temporary folder, serves it from a process of its own, and prints
 * size, speed, memory, and how long a client in a third process waits for its responses before, during and after.
 * Everything stays on this machine, and is removed at the end.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { createServer, get, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { createHistogram, type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSchema, execute, parse } from 'graphql';
import { request } from 'undici';
import { readArguments } from '../../scripts/arguments.mjs';
import { systemClock } from '../../subgraphs/rest/ports/ports.js';
import { createSiretDirectory, type SiretDirectory } from '../../subgraphs/work-study/export/siret-directory.js';
import { temporaryFolder } from '../temporary-folder.js';
import { exportRows } from './export-rows.js';

async function measure(offers: number): Promise<void> {
  const folder = temporaryFolder();
  const children: ChildProcess[] = [];
  try {
    const file = join(folder, 'upstream.json');
    const expected = await writeExport(file, offers);
    const bytes = (await stat(file)).size;
    console.log(`${offers} offers, ${expected.size} SIRETs, ${megabytes(bytes)}`);

    const upstream = startChild('upstream', file, children);
    const link = await messageOf(upstream);
    const gateway = await listen(respondToQuery);
    const idle = await waits(gateway, children, pause(5_000));

    const directory = createSiretDirectory({
      exportLink: async () => ({ url: link, lastUpdate: '2025-06-26T08:28:05.000Z' }),
      download: (url, signal) => download(url, signal),
      origin: { service: 'work-study', drift: console.log },
      shared: null,
      indexer: null,
      clock: systemClock,
      folder: join(folder, 'cache'),
      log: { debug: console.log, info: console.log, warn: console.log, error: console.log },
    });
    const memory = watchMemory();
    const startedMs = performance.now();
    const busy = await waits(gateway, children, directory.refreshIfDue());
    const seconds = (performance.now() - startedMs) / 1000;
    console.log(`indexed in ${seconds.toFixed(1)} s, ${(bytes / 1e6 / seconds).toFixed(0)} MB/s`);
    console.log(`memory: ${memory()}`);
    console.log(`before:    ${idle}`);
    console.log(`meanwhile: ${busy}`);
    console.log(`after:     ${await waits(gateway, children, pause(5_000))}`);
    await check(directory, expected);
    await directory.close();
  } finally {
    for (const child of children) child.kill();
    await rm(folder, { recursive: true, force: true });
  }
  process.exit(0);
}

/** Writes the export, and returns how many rows each SIRET has in it. */
async function writeExport(path: string, rows: number): Promise<Map<string, number>> {
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
  return expected;
}

async function* download(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { body } = await request(url, { signal });
  yield* body;
}

/** A small query of fifty rows with asynchronous resolvers, to simulate the gateway's work. */
const schema = buildSchema('type Query { rows: [Row] } type Row { id: Int commune: Row }');
const query = parse('{ rows { id commune { id commune { id } } } }');
const row = (id: number): object => ({ id, commune: async () => row(id + 1) });
const rootValue = { rows: () => Array.from({ length: 50 }, (_, id) => row(id)) };
const respondToQuery: RequestListener = (_request, response) => {
  Promise.resolve(execute({ schema, document: query, rootValue })).then(
    (result) => response.end(JSON.stringify(result)),
    (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
  );
};

/** Until a promise settles, measures the waits of a client in another process, and the delays of this event loop. */
async function waits(url: string, children: ChildProcess[], until: Promise<unknown>): Promise<string> {
  const client = startChild('client', url, children);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await until;
  loop.disable();
  client.send('stop');
  return `${await messageOf(client)}; event loop p99 ${inMs(loop, 99)} ms, longest ${(loop.max / 1e6).toFixed(1)} ms`;
}

/** The client: one query after another, with a short pause between them, until a message arrives. */
async function sendUntilMessage(url: string): Promise<void> {
  const responses = createHistogram();
  let stopped = false;
  process.once('message', () => {
    stopped = true;
  });
  while (!stopped) {
    const startedAt = process.hrtime.bigint();
    await new Promise((resolve, reject) => {
      get(url, (response) => response.resume().once('end', resolve)).once('error', reject);
    });
    responses.record(process.hrtime.bigint() - startedAt);
    await pause(2);
  }
  process.send?.(`${responses.count} responses, p50 ${inMs(responses, 50)} ms, p99 ${inMs(responses, 99)} ms`);
}

async function serveFile(path: string): Promise<void> {
  process.send?.(await listen((_request, response) => createReadStream(path).pipe(response)));
}

async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}/`;
}

function startChild(role: string, argument: string, children: ChildProcess[]): ChildProcess {
  const child = fork(fileURLToPath(import.meta.url), [role, argument]);
  children.push(child);
  return child;
}

async function messageOf(child: ChildProcess): Promise<string> {
  const [text] = await once(child, 'message');
  return String(text);
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

/** Checks that every thousandth SIRET is found with its rows. */
async function check(directory: SiretDirectory, expected: ReadonlyMap<string, number>): Promise<void> {
  const sample = [...expected].filter((_, place) => place % 1_000 === 0);
  const startedMs = performance.now();
  for (const [siret, count] of sample) {
    const rows = await directory.find(siret);
    if (rows?.length !== count) throw new Error(`${siret}: ${rows?.length} rows instead of ${count}.`);
  }
  console.log(
    `${sample.length} look-ups right, ${((performance.now() - startedMs) / sample.length).toFixed(2)} ms each`,
  );
}

function inMs(histogram: Pick<IntervalHistogram, 'percentile'>, percentile: number): string {
  return (histogram.percentile(percentile) / 1e6).toFixed(1);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

const [role, argument = ''] = process.argv.slice(2);
if (role === 'upstream') await serveFile(argument);
else if (role === 'client') await sendUntilMessage(argument);
else await measure(readArguments('npm run bench:export [-- --offers N]', { offers: 300_000 }).offers);
