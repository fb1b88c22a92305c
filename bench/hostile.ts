/**
 * `npm run bench:hostile [-- --rounds N --apart]`: ten callers, two of them with keys of their own, each send five requests a
 * second, alone and beside one trouble at a time, in alternating slices of one run: a caller at fifty times that rate
 * without a key, with a new one each time, or asking `/readyz`; `/readyz` asked without a pause; a source that hangs;
 * a caller with a thousand calls waiting; full disks of log, cache and export. Prints the others' waits and whose calls
 * were made. Exit code 1 if one of the others got a wrong response, if their slowest hundredth took more than twice as
 * long, or if a call of theirs was spent by another.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { readArguments } from '../scripts/arguments.mjs';
import type { MeteredServer } from '../test/bounds/support/metered-server.js';
import { type MeteredStack, startMeteredStack } from '../test/bounds/support/metered-stack.js';
import {
  type Hostility,
  type OtherCaller,
  type Slice,
  sendSteadily,
  sliceOf,
  startHostileCaller,
} from './hostile/callers.js';

const PER_SECOND = 5;
const FIFTY_TIMES = 50 * PER_SECOND;
const SLICE_MS = 2_000;
const SETTLING_MS = 1_000;
/** Of a server that was started for one trouble. */
const WARM_UPS = 5;
const CALLS_PER_MINUTE = 60;
/** A difference this small may be a garbage collection that happened in only one of the phases. */
const UNFELT_MS = 5;
const MOST = 2;
const WITHOUT_KEY = 8;
const { rounds, apart } = readArguments('npm run bench:hostile [-- --rounds N --apart]', { rounds: 12, apart: false });

/** One trouble: what is sent, and what happens meanwhile. */
interface Trouble {
  readonly name: string;
  readonly sends: Hostility;
  /** Returns what ends it. */
  begin?(stack: MeteredStack): () => void;
  readonly isDiskFull?: boolean;
  /** How long it takes to be there, and to be over; a second if omitted. */
  readonly settlingMs?: number;
}

const ONE_ADDRESS = { 'x-forwarded-for': '192.0.2.66' };
const MISSIONS = '{ missions(first: 5, city: ["h#"]) { nodes { title commune { nom } } } }';
const CERTIFICATIONS = '{ certifications(rncp: "RNCP#") { totalCount } }';
const NEW_QUERIES: Hostility = { perSecond: FIFTY_TIMES, path: '/graphql', headers: ONE_ADDRESS, query: MISSIONS };
const PROBES: Hostility = { path: '/readyz', headers: ONE_ADDRESS };

/** With limits on callers. */
const LIMITED: readonly Trouble[] = [
  { name: 'no key', sends: NEW_QUERIES },
  {
    name: 'a new key with each request',
    sends: { ...NEW_QUERIES, headers: { ...ONE_ADDRESS, 'x-volunteering-key': 'invented-#' } },
  },
  { name: 'probes', sends: { ...PROBES, perSecond: FIFTY_TIMES } },
  { name: 'probes without a pause', sends: { ...PROBES, inFlight: 64 } },
];

/** Without: each request comes through to what may make others wait. */
const UNLIMITED: readonly Trouble[] = [
  { name: 'probes without a pause, and no limit', sends: { ...PROBES, inFlight: 64 } },
  {
    name: 'a source that hangs',
    sends: { inFlight: 500, path: '/graphql', headers: { 'x-forwarded-for': '203.0.113.#' }, query: CERTIFICATIONS },
    begin: ({ sandbox }) => sandbox.workStudy.fault({ kind: 'silent' }),
    settlingMs: 3_000,
  },
  {
    name: 'a thousand calls that wait',
    sends: { ...NEW_QUERIES, inFlight: 1_000 },
    // Apart, a thousand new operations take a second and a half of work.
    settlingMs: 5_000,
    begin({ sandbox }) {
      let release = () => {};
      const until = new Promise<void>((resolve) => {
        release = resolve;
      });
      const end = sandbox.volunteering.fault({ kind: 'latency', key: 'operator', until });
      return () => {
        end();
        release();
      };
    },
  },
  {
    name: 'full disks',
    sends: { perSecond: FIFTY_TIMES / 5, path: '/graphql', headers: ONE_ADDRESS, query: CERTIFICATIONS },
    isDiskFull: true,
  },
];

const PROXIED = { TRUSTED_PROXIES: '127.0.0.0/8', MAX_CALLS_PER_REQUEST: '500' };
const LIMITS = { CALLER_REQUESTS_PER_MINUTE: '600', CALLER_CALLS_PER_MINUTE: String(CALLS_PER_MINUTE) };

for (const [env, troubles] of [[{ ...PROXIED, ...LIMITS }, LIMITED] as const, [PROXIED, UNLIMITED] as const]) {
  const stack = await startMeteredStack(env, [], apart);
  try {
    for (const trouble of troubles) await measure(stack, trouble, env);
  } finally {
    await stack.close();
  }
}

async function measure(stack: MeteredStack, trouble: Trouble, env: Readonly<Record<string, string>>): Promise<void> {
  const { sandbox } = stack;
  const { name, sends, begin, isDiskFull, settlingMs = SETTLING_MS } = trouble;
  const calm = stack.server;
  const troubled = isDiskFull === true ? await stack.startServer(env, { isDiskFull }) : calm;
  const others = othersOf(sandbox.keys.volunteering);
  const hostile = startHostileCaller(troubled.url, sends);
  // Only the disk differs.
  const alike = troubled === calm ? null : startHostileCaller(calm.url, sends);
  let named = 0;
  const slice = async (server: MeteredServer) => {
    named += 1;
    const pace = { perSecond: PER_SECOND, ms: SLICE_MS, name: `${name}-${named}` };
    await server.note();
    const sent = await Promise.all(others.map((other) => sendSteadily(server, other, pace)));
    return sliceOf(sent, await server.noted());
  };
  const besideIt = async () => {
    const end = begin?.(stack);
    hostile.turn('on');
    // The trouble is there when the others come: how it arrives is bounded elsewhere.
    await pause(settlingMs);
    const seen = await slice(troubled);
    hostile.turn('off');
    end?.();
    // What was abandoned ends, and belongs to neither phase.
    await pause(settlingMs);
    return seen;
  };
  const alone = async () => {
    alike?.turn('on');
    const seen = await slice(calm);
    alike?.turn('off');
    return seen;
  };
  // Warm up: code is compiled, responses cached, and the hostile caller's minute used up.
  for (let time = 0; time < (alike === null ? 1 : WARM_UPS); time += 1) {
    await alone();
    await besideIt();
  }
  sandbox.volunteering.clearCalls();
  const phases: Record<'calm' | 'hostile', Slice[]> = { calm: [], hostile: [] };
  const startedMs = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    phases.calm.push(await alone());
    phases.hostile.push(await besideIt());
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  const { sent, statuses } = await hostile.end();
  await alike?.end();
  const mostCalls = 'CALLER_CALLS_PER_MINUTE' in env ? (Math.ceil(minutes) + 1) * (CALLS_PER_MINUTE + 10) : null;
  report({ trouble: name, phases, sent, statuses, lines: sandbox.volunteering.callLines(), mostCalls });
}

/** Alice shares the hostile caller's address. */
function othersOf({ alice, bob }: { readonly alice: string; readonly bob: string }): OtherCaller[] {
  const keys = [alice, bob, ...Array.from({ length: WITHOUT_KEY }, () => null)];
  return keys.map((key, index) => ({ key, address: index === 0 ? '192.0.2.66' : `198.51.100.${index}` }));
}

interface Found {
  readonly trouble: string;
  readonly phases: Readonly<Record<'calm' | 'hostile', readonly Slice[]>>;
  readonly sent: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** The calls to the volunteering service. */
  readonly lines: readonly string[];
  /** How many of them the hostile caller may have made; null without a limit. */
  readonly mostCalls: number | null;
}

function report({ trouble, phases, sent, statuses, lines, mostCalls }: Found): void {
  console.log(`${trouble}: ${sent} sent, ${JSON.stringify(statuses)}`);
  const p99 = (name: 'calm' | 'hostile', clock: 'wallMs' | 'workedMs') => {
    const waits = phases[name].flatMap((slice) => slice[clock]).sort((a, b) => a - b);
    return waits[Math.floor(waits.length * 0.99)] ?? 0;
  };
  for (const clock of ['workedMs', 'wallMs'] as const) {
    const [calm, hostile] = [p99('calm', clock), p99('hostile', clock)];
    console.log(
      `  p99 ${clock}: ${calm.toFixed(1)} alone, ${hostile.toFixed(1)} beside it, ×${(hostile / calm).toFixed(2)}`,
    );
    if (clock === 'workedMs' && hostile > calm * MOST && hostile - calm > UNFELT_MS) process.exitCode = 1;
  }
  const wrong = Object.values(phases).flatMap((slices) => slices.flatMap((slice) => slice.wrong));
  for (const response of wrong.slice(0, 3)) console.log(`  BROKEN: ${response}`);
  const others = lines.filter((line) => /alice|bob/.test(line)).length;
  const expected = 2 * 2 * rounds;
  console.log(`  calls by the others’ keys: ${others} of ${expected} asked; by all: ${lines.length}`);
  if (wrong.length > 0 || others !== expected) process.exitCode = 1;
  if (mostCalls !== null && lines.length > expected + mostCalls) process.exitCode = 1;
}
