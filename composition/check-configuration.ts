import { readSupergraph } from '../gateway/execution/supergraph-file.js';
import { checkForeignSupergraph } from '../gateway/loaded-graph.js';
import type { Configuration } from '../runtime/configuration/configuration.js';
import { isSubgraph } from '../runtime/configuration/role.js';
import { unwatched } from '../schema/caches.js';
import type { Log } from '../schema/log.js';
import { openSafelist, usable } from './configured-files.js';

/** Reads the files that the configuration names, and calls nothing. Throws a ConfigurationError for an unusable one. */
export async function checkConfiguration(configuration: Configuration, log: Log): Promise<void> {
  if (isSubgraph(configuration.role)) return;
  const supergraph = await usable('SUPERGRAPH', readSupergraph(configuration.supergraphPath));
  if (!supergraph.ours) {
    await usable(
      'SUPERGRAPH',
      checkForeignSupergraph(supergraph.sdl, { ...configuration, log, watchCaches: () => unwatched }),
    );
  }
  await usable('SAFELIST', openSafelist(configuration));
}
