import { openReplicas } from '../../reliability/support/replicas.js';
import { openBalancer } from './balancer.js';
import { type LoadResult, startLoad } from './load.js';
import { until } from './until.js';

/** Longer than the balancer, which checks every 20 ms, takes to notice. */
const DRAIN_MS = '300';

/** Restarts two replicas behind a balancer in turn, this many times, under constant load. */
export async function rollingRestarts(times: number): Promise<LoadResult> {
  const replicas = await openReplicas({ DRAIN_MS });
  const balancer = await openBalancer();
  const running = [await replicas.open(), await replicas.open()];
  for (const { url } of running) await balancer.add(url);
  const isRight = (data: unknown) => (data as { departements?: unknown[] } | null)?.departements?.length === 2;
  const load = startLoad(balancer.url, '{ departements { codeInsee nom } }', isRight);
  for (let restart = 0; restart < times; restart += 1) {
    const before = load.answered();
    await until(() => load.answered() > before + 10);
    const next = await replicas.open();
    await balancer.add(next.url);
    running.push(next);
    const old = running.shift();
    await old?.close();
    balancer.remove(old?.url ?? '');
  }
  const result = await load.stop();
  await balancer.close();
  await replicas.close();
  return result;
}
