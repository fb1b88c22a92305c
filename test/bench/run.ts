/**
 * `npm run bench`: the same questions, in one run, to each way of answering them; how it is used and read is in
 * docs/performance.md, section 1. Everything stays on this machine.
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { checkAnswers, dataOf, readCursors, untilComplete } from './asking.js';
import { type Measured, measure } from './measure.js';
import { type BenchOptions, readOptions } from './options.js';
import { compiled, startLoad, startServer, startUpstreams, type Upstreams } from './processes.js';
import { tableOf } from './table.js';
import { createVariantStarter, type Variant } from './variants.js';
import { type Workload, workloadsOf } from './workloads.js';

const options = readOptions();
const upstreams = await startUpstreams();
const starter = createVariantStarter(upstreams);
const load = startLoad();

const variants: Variant[] = [];
for (const name of options.variants) if (name !== 'bytes') variants.push(await starter.start(name));
const workloads = await chosenWorkloads(options, upstreams, variants);
await Promise.all(variants.map(untilComplete));
for (const workload of workloads) await checkAnswers(variants, workload);
if (options.variants.includes('bytes')) variants.push(await startBytes(variants, workloads));

const results: { readonly workload: string; readonly measured: readonly Measured[] }[] = [];
for (const workload of workloads) {
  const measured = await measure({ options, upstreams, load }, variants, workload);
  results.push({ workload: workload.name, measured });
  console.log(tableOf(workload, measured));
  if (options.json !== null) writeFileSync(options.json, JSON.stringify({ load: loadavg(), results }, null, 2));
}
process.exit();

async function chosenWorkloads(
  { only }: BenchOptions,
  { inseeCodes }: Upstreams,
  variants: readonly Variant[],
): Promise<Workload[]> {
  const graphql = variants.find(({ speaks }) => speaks === 'GraphQL');
  const cursors = graphql === undefined ? [] : await readCursors(graphql);
  const all = workloadsOf({ inseeCodes, cursors });
  const unknown = only.find((name) => !all.some((workload) => workload.name === name));
  if (unknown !== undefined) throw new Error(`No workload ${unknown}: ${all.map(({ name }) => name).join(', ')}`);
  return only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
}

/** The answers of the first variant, from a server that only sends them. */
async function startBytes([first]: readonly Variant[], workloads: readonly Workload[]): Promise<Variant> {
  if (first === undefined) throw new Error('The bytes are those of another variant: name one before them.');
  const answers: Record<string, string> = {};
  for (const workload of workloads) {
    for (const question of workload.questions) {
      answers[question.path] ??= `{"data":${await dataOf(first, question, workload)}}`;
    }
  }
  const server = await startServer({ command: [compiled('bytes')], env: {}, given: { answers } });
  return { name: 'bytes', speaks: 'REST', url: server.url, servers: [server] };
}
