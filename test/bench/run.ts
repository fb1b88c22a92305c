/**
 * `npm run bench`: the same questions, in one run, to Passerelle in one process, apart, and to Apollo's gateway over
 * the same subgraphs. It checks that all answers are equal, counts the upstream calls of each question, and prints
 * ratios: absolute figures drift from machine to machine, and two runs are not compared. Everything stays on this
 * machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { variablesOf } from '../../sandbox/hints.js';
import { startSandbox } from '../../sandbox/index.js';
import { SUBGRAPH_TOKEN } from '../scenarios/stack.js';
import { type Asked, askOften, askOnce, QUESTIONS, type Question } from './questions.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** How a process of TypeScript is started, like this one. */
const STOCK = ['--import', 'tsx', fileURLToPath(new URL('stock-gateway.ts', import.meta.url))];
const ROUNDS = 5;

interface Variant {
  readonly name: string;
  readonly url: string;
}

const sandbox = await startSandbox();
const environment = { ...variablesOf(sandbox), CACHE_DIR: 'off', SUBGRAPH_TOKEN, LOG_LEVEL: 'warn' };
const children: ChildProcess[] = [];
try {
  const subgraphs = await openSubgraphs();
  const variants = [await openInProcess(), await openApart(subgraphs), await openStock(subgraphs)];
  for (const question of QUESTIONS) await measure(question, variants);
} finally {
  for (const child of children) child.kill();
  await sandbox.close();
}

/** One question to all variants, in turns so that a busy moment of the machine meets them all. */
async function measure(question: Question, variants: readonly Variant[]): Promise<void> {
  const calls: number[] = [];
  for (const { url } of variants) {
    for (const service of sandbox.running) service.clearCalls();
    await askOnce(url, question.query);
    calls.push(sandbox.running.reduce((sum, service) => sum + service.calls.length, 0));
    await askOften(url, question);
  }
  const asked: Asked[][] = variants.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { url }] of variants.entries()) asked[index]?.push(await askOften(url, question));
  }
  if (new Set(asked.flat().map(({ answer }) => answer)).size > 1) throw new Error('The variants answer differently.');
  const rates = asked.map((rounds) => median(rounds.map(({ waits, seconds }) => waits.length / seconds)));
  console.log(`\n${question.name}`);
  for (const [index, { name }] of variants.entries()) {
    const waits = (asked[index] ?? []).flatMap((round) => round.waits).sort((a, b) => a - b);
    const rate = rates[index] ?? 0;
    console.log(
      `  ${name.padEnd(12)} ${rate.toFixed(0).padStart(6)} answers/s  ×${(rate / (rates[0] ?? rate)).toFixed(2)}  ` +
        `p50 ${at(waits, 0.5)} ms  p99 ${at(waits, 0.99)} ms  upstream calls: ${calls[index]} first, then 0`,
    );
  }
}

async function openInProcess(): Promise<Variant> {
  return { name: 'in process', url: await open([]) };
}

/** The three subgraphs in processes of their own, as the variables that name them. */
async function openSubgraphs(): Promise<Record<string, string>> {
  const [workStudy = '', waste = '', volunteering = ''] = await Promise.all(
    ['work-study', 'waste-identity', 'volunteering'].map((service) => open(['subgraph', service])),
  );
  return {
    SUBGRAPH_WORK_STUDY_URL: workStudy,
    SUBGRAPH_WASTE_IDENTITY_URL: waste,
    SUBGRAPH_VOLUNTEERING_URL: volunteering,
  };
}

async function openApart(subgraphs: Record<string, string>): Promise<Variant> {
  return { name: 'apart', url: await open(['gateway'], subgraphs) };
}

async function openStock(subgraphs: Record<string, string>): Promise<Variant> {
  return { name: 'stock Apollo', url: await open([], { ...subgraphs, NODE_ENV: 'production' }, STOCK) };
}

/** Starts a process on a free port and reads from its banner where it answers. */
async function open(args: readonly string[], more: Record<string, string> = {}, program = [MAIN]): Promise<string> {
  const child = spawn(process.execPath, [...program, ...args], {
    env: { PATH: process.env['PATH'], PORT: '0', ...environment, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let said = '';
  for (;;) {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    said += chunk.toString();
    const url = /answers at (\S+?)(\/graphql)?\n/.exec(said);
    if (url?.[1] !== undefined) return args[0] === 'subgraph' ? `${url[1]}/graphql` : url[1];
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}
