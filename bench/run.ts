/**
 * `npm run bench`: sends the same queries, in one run, to each way of answering them; how to use and read it is in
 * docs/performance.md, section 1. Everything stays on this machine.
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { type Measured, measure } from './measure.js';
import { readOptions } from './options.js';
import { checkOut } from './other-commit.js';
import { startLoad, startUpstreams } from './processes.js';
import { checkResponses, dataOf, readCursors, untilComplete } from './sending.js';
import { measureStarts, type Start } from './starts.js';
import { tableOf, tableOfStarts } from './table.js';
import { createVariantStarter, type Variant } from './variants.js';
import { START, type Workload, workloadsOf } from './workloads.js';

const options = readOptions();
const other = options.against === null ? null : checkOut(options.against);
process.on('exit', () => other?.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const upstreams = await startUpstreams();
const starter = createVariantStarter(upstreams);
const load = startLoad();
const figures: { starts: readonly Start[]; workloads: { workload: string; measured: readonly Measured[] }[] } = {
  starts: [],
  workloads: [],
};

if (!options.checkOnly && isChosen(START.name)) {
  figures.starts = await measureStarts(upstreams, options, START);
  console.log(tableOfStarts(figures.starts));
}
const variants: Variant[] = [];
for (const name of options.variants) if (name !== 'bytes') variants.push(await starter.start(name));
if (other !== null) variants.push(await starter.startOther(other.name, other.root));
await Promise.all(variants.map(untilComplete));
const workloads = (await allWorkloads()).filter(({ name }) => isChosen(name));
for (const workload of workloads) await checkResponses(taking(workload), workload);
console.log(`${variants.map(({ name }) => name).join(', ')}: all answer alike.`);
if (options.checkOnly) process.exit();
if (options.variants.includes('bytes')) variants.push(await startBytes());

for (const workload of workloads) {
  const measured = await measure({ options, upstreams, load }, taking(workload), workload);
  // After repeated fetches, years ahead of the clock, responses must still be the same.
  if (workload.coldDelayMs !== undefined)
    await checkResponses(
      variants.filter(({ name }) => name !== 'bytes'),
      workload,
    );
  figures.workloads.push({ workload: workload.name, measured });
  console.log(tableOf(workload, measured, ['by-hand', 'stock', other?.name ?? '']));
  if (options.json !== null) writeFileSync(options.json, JSON.stringify({ load: loadavg(), ...figures }, null, 2));
}
process.exit();

async function allWorkloads(): Promise<Workload[]> {
  const graphql = variants.find(({ speaks }) => speaks === 'GraphQL');
  const cursors = graphql === undefined ? [] : await readCursors(graphql);
  const all = workloadsOf({ inseeCodes: upstreams.inseeCodes, cursors });
  const names = [START, ...all].map(({ name }) => name);
  const unknown = options.only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no workload ${unknown}: ${names.join(', ')}`);
  return all;
}

/** The variants that have a workload. */
function taking({ isGraphqlOnly }: Workload): Variant[] {
  return isGraphqlOnly === true ? variants.filter(({ speaks }) => speaks === 'GraphQL') : variants;
}

function isChosen(name: string): boolean {
  return options.only.length === 0 || options.only.includes(name);
}

/** Starts a server that only sends the first variant's responses. */
async function startBytes(): Promise<Variant> {
  const [first] = variants;
  if (first === undefined) throw new Error('The bytes are those of another variant: name one.');
  const responses: Record<string, string> = {};
  for (const workload of workloads) {
    for (const operation of workload.operations) {
      responses[operation.path] ??= `{"data":${await dataOf(first, operation, workload)}}`;
    }
  }
  return starter.startBytes(responses);
}
