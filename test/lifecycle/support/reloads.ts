import { start } from '../../../main.js';
import { readConfiguration } from '../../../runtime/configuration/configuration.js';
import { createMemoryLog } from '../../scenarios/memory-log.js';
import { openForeignGraph, QUERY } from './foreign-graph.js';
import { type LoadResult, startLoad } from './load.js';

/** Changes a foreign supergraph this many times under constant load. A response from two editions is wrong. */
export async function reloads(times: number): Promise<LoadResult & { readonly reloaded: number }> {
  const foreign = await openForeignGraph();
  const configuration = readConfiguration('gateway', { PORT: '0', CACHE_DIR: 'off', SUPERGRAPH: foreign.file });
  const log = createMemoryLog();
  const running = await start(configuration, log);
  const isWhole = (data: unknown) => {
    const { port } = data as { port: { edition: string; tide: string } };
    return port.edition === port.tide;
  };
  const load = startLoad(running.url, QUERY, isWhole);
  for (let count = 0; count < times; count += 1) {
    await foreign.write(count % 2 === 0 ? 'b' : 'a');
    await running.reload?.();
  }
  const result = await load.stop();
  await running.close();
  await foreign.close();
  const reloaded = log.lines.filter(({ message }) => message === 'the supergraph was reloaded').length;
  return { ...result, reloaded };
}
