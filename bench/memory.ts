/**
 * `npm run bench:memory [-- --seconds N]`: the product in one process with small and large heaps, at rest and under a
 * load that fills its caches: pages of one to a hundred missions with their joins, each a new document or a new page.
 * Prints what is resident, and what caches hold. Exit code 1 if a process needs more than `DEMAND` of its heap's limit,
 * which is what the limits of memory in `deploy/` leave. Needs Linux, for /proc.
 */

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readArguments } from '../scripts/arguments.mjs';
import { freePort } from '../test/bounds/support/free-port.js';
import { startLoad, startServer, startUpstreams } from './processes.js';
import { readCursors, requestOf, untilComplete } from './sending.js';
import { environmentOf, productCommand, type Variant } from './variants.js';
import { type Workload, workloadsOf } from './workloads.js';

const HEAPS_MB = [200, 384, 768, 1536, 3072];
/** Three quarters of a container's memory are heap. */
const DEMAND = 4 / 3;
const LARGEST_PAGE = 100;

const { seconds } = readArguments('npm run bench:memory [-- --seconds N]', { seconds: 60 });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const upstreams = await startUpstreams();
const load = startLoad();
console.log('| heap, MB | at rest, MB | under load, MB | at most, MB | caches, MB of | requests |');
console.log('|---|---|---|---|---|---|');
for (const heapMb of HEAPS_MB) console.log(await rowOf(heapMb));
process.exit();

async function rowOf(heapMb: number): Promise<string> {
  await upstreams.openWindows();
  const metricsPort = await freePort();
  const env = { ...environmentOf(upstreams), METRICS_PORT: String(metricsPort) };
  const command = [`--max-old-space-size=${heapMb}`, ...productCommand('start')];
  const server = await startServer({ command, env });
  const variant: Variant = { name: `${heapMb} MB`, speaks: 'GraphQL', servers: [server] };
  await untilComplete(variant);
  // What only the start needed is given back by then.
  await pause(15_000);
  const rest = residentMb(server.pid, 'VmRSS');
  const { port } = new URL(server.url);
  const workload = await filling(variant);
  const requests = workload.operations.map((operation) => requestOf(variant, operation, workload));
  const { answered } = await load.run({ port: Number(port), requests, connections: workload.connections, seconds });
  const [now, peak] = [residentMb(server.pid, 'VmRSS'), residentMb(server.pid, 'VmHWM')];
  if (peak > DEMAND * heapMb) process.exitCode = 1;
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  await server.close();
  const caches = `${sumMb(metrics, 'passerelle_cache_bytes')} of ${sumMb(metrics, 'passerelle_cache_bound_bytes')}`;
  return `| ${[heapMb, rest, now, peak, caches, answered].join(' | ')} |`;
}

/** Pages of every size from every place, of which every second one is a document that nobody has sent before. */
async function filling(variant: Variant): Promise<Workload> {
  const all = workloadsOf({ inseeCodes: upstreams.inseeCodes, cursors: await readCursors(variant) });
  const [pages, documents] = ['varied', 'documents'].map((name) => all.find((one) => one.name === name));
  if (pages === undefined || documents === undefined) throw new Error('The bench has no such workload.');
  const operations = Array.from({ length: LARGEST_PAGE }, (_, place) =>
    pages.operations.flatMap(({ query, ...others }) => {
      const sized = query.replace('first: 20', `first: ${place + 1}`);
      return [
        { ...others, query: sized },
        { ...others, query: sized.replace('query Page', 'query Page000000000') },
      ];
    }),
  );
  return { ...pages, operations: operations.flat() };
}

/** Resident memory of a process: now, or at most so far. */
function residentMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round((Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6);
}

function sumMb(metrics: string, name: string): number {
  const values = [...metrics.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
  return Math.round(values.reduce((sum, value) => sum + value, 0) / 1e6);
}
