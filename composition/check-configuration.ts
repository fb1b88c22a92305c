import { readSupergraph } from '../gateway/execution/supergraph-file.js';
import { checkForeignSupergraph } from '../gateway/loaded-graph.js';
import {
  type Configuration,
  ConfigurationError,
  examineConfiguration,
} from '../runtime/configuration/configuration.js';
import { isSubgraph, type Role } from '../runtime/configuration/role.js';
import { unwatched } from '../schema/caches.js';
import type { Log } from '../schema/log.js';
import { openSafelist, usable } from './configured-files.js';

/**
 * Reads the environment and the files that it names, and calls no service. Rejects with a ConfigurationError that lists
 * every mistake in either.
 */
export async function checkConfiguration(role: Role, log: Log): Promise<void> {
  const { configuration, mistakes } = examineConfiguration(role);
  const all = [...mistakes, ...(isSubgraph(role) ? [] : await mistakesInFiles(configuration, log))];
  if (all.length > 0) throw new ConfigurationError(all);
}

async function mistakesInFiles(configuration: Configuration, log: Log): Promise<string[]> {
  const checks = [checkSupergraph(configuration, log), usable('SAFELIST', openSafelist(configuration))];
  return (await Promise.allSettled(checks)).flatMap((check) => {
    if (check.status === 'fulfilled') return [];
    if (check.reason instanceof ConfigurationError) return check.reason.mistakes;
    throw check.reason;
  });
}

async function checkSupergraph(configuration: Configuration, log: Log): Promise<void> {
  const supergraph = await usable('SUPERGRAPH', readSupergraph(configuration.supergraphPath));
  if (supergraph.ours) return;
  const options = { ...configuration, log, watchCaches: () => unwatched };
  await usable('SUPERGRAPH', checkForeignSupergraph(supergraph.sdl, options));
}
