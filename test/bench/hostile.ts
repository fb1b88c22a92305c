/**
 * `npm run bench:hostile [-- --rounds N --apart]`: ten callers, two of them with keys of their own, each send five requests a
 * second, alone and beside a caller at fifty times that rate, in alternating slices of one run. That caller first has
 * no key, then a new one with each request, then asks `/readyz` alone, and has the address of a caller with a key. Prints the others' waits and
 * whose calls were made. Exit code 1 if one of the others got a wrong response, if their slowest hundredth took more
 * than half as long again, or if a call of theirs was spent by another.
 */
import { readArguments } from '../../scripts/arguments.mjs';
import { startMeteredStack } from '../bounds/support/metered-stack.js';
import {
  type Hostility,
  type OtherCaller,
  type Slice,
  sendSteadily,
  sliceOf,
  startHostileCaller,
} from './hostile/callers.js';

const PER_SECOND = 5;
const TIMES_THE_RATE = 50;
const SLICE_MS = 2_000;
const CALLS_PER_MINUTE = 60;
/** A difference this small may be a garbage collection that happened in only one of the phases. */
const UNFELT_MS = 5;
const WITHOUT_KEY = 8;
const { rounds, apart } = readArguments('npm run bench:hostile [-- --rounds N --apart]', { rounds: 12, apart: false });

const env = {
  CALLER_REQUESTS_PER_MINUTE: '600',
  CALLER_CALLS_PER_MINUTE: String(CALLS_PER_MINUTE),
  MAX_CALLS_PER_REQUEST: '500',
  TRUSTED_PROXIES: '127.0.0.0/8',
};
const stack = await startMeteredStack(env, [], apart);
try {
  for (const sends of ['no key', 'a new key with each request', 'probes'] as const) await measure(sends);
} finally {
  await stack.close();
}

async function measure(sends: Hostility): Promise<void> {
  const { server, sandbox } = stack;
  const others = othersOf(sandbox.keys.volunteering);
  const hostile = startHostileCaller(server.url, PER_SECOND * TIMES_THE_RATE, sends);
  let named = 0;
  const slice = async () => {
    named += 1;
    const pace = { perSecond: PER_SECOND, ms: SLICE_MS, name: `${sends}-${named}` };
    await server.note();
    const sent = await Promise.all(others.map((other) => sendSteadily(server, other, pace)));
    return sliceOf(sent, await server.noted());
  };
  // Warm up: code is compiled, responses cached, and the hostile caller's minute used up.
  await slice();
  hostile.turn('on');
  await slice();
  hostile.turn('off');
  await slice();
  sandbox.volunteering.clearCalls();
  const phases: Record<'calm' | 'hostile', Slice[]> = { calm: [], hostile: [] };
  const startedMs = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    phases.calm.push(await slice());
    hostile.turn('on');
    phases.hostile.push(await slice());
    hostile.turn('off');
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  const { sent, statuses } = await hostile.end();
  report({ sends, phases, sent, statuses, minutes });
}

/** Alice shares the hostile caller's address. */
function othersOf({ alice, bob }: { readonly alice: string; readonly bob: string }): OtherCaller[] {
  const keys = [alice, bob, ...Array.from({ length: WITHOUT_KEY }, () => null)];
  return keys.map((key, index) => ({ key, address: index === 0 ? '192.0.2.66' : `198.51.100.${index}` }));
}

interface Found {
  readonly sends: Hostility;
  readonly phases: Readonly<Record<'calm' | 'hostile', readonly Slice[]>>;
  readonly sent: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly minutes: number;
}

function report({ sends, phases, sent, statuses, minutes }: Found): void {
  console.log(`${sends}: ${sent} sent, ${JSON.stringify(statuses)}`);
  const p99 = (name: 'calm' | 'hostile', clock: 'wallMs' | 'workedMs') => {
    const waits = phases[name].flatMap((slice) => slice[clock]).sort((a, b) => a - b);
    return waits[Math.floor(waits.length * 0.99)] ?? 0;
  };
  for (const clock of ['workedMs', 'wallMs'] as const) {
    const [calm, hostile] = [p99('calm', clock), p99('hostile', clock)];
    console.log(
      `  p99 ${clock}: ${calm.toFixed(1)} alone, ${hostile.toFixed(1)} beside it, ×${(hostile / calm).toFixed(2)}`,
    );
    if (clock === 'workedMs' && hostile > calm * 1.5 && hostile - calm > UNFELT_MS) process.exitCode = 1;
  }
  const wrong = Object.values(phases).flatMap((slices) => slices.flatMap((slice) => slice.wrong));
  for (const response of wrong.slice(0, 3)) console.log(`  BROKEN: ${response}`);
  const lines = stack.sandbox.volunteering.callLines();
  const others = lines.filter((line) => /alice|bob/.test(line)).length;
  const expected = 2 * 2 * rounds;
  console.log(
    `  calls by the others’ keys: ${others} of ${expected} asked; by all: ${lines.length} in ${minutes.toFixed(1)} min`,
  );
  const most = expected + (Math.ceil(minutes) + 1) * (CALLS_PER_MINUTE + 10);
  if (wrong.length > 0 || others !== expected || lines.length > most) process.exitCode = 1;
}
