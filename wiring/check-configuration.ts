import {
  type Configuration,
  ConfigurationError,
  examineConfiguration,
} from '../runtime/configuration/configuration.js';
import { isSubgraph, type Role } from '../runtime/configuration/role.js';
import { checkSupergraph, openSafelist, usable } from './configured-files.js';

/**
 * Reads the environment and the files that it names, and calls no service. Rejects with a ConfigurationError that lists
 * every mistake in either.
 */
export async function checkConfiguration(role: Role): Promise<void> {
  const { configuration, mistakes } = examineConfiguration(role);
  const all = [...mistakes, ...(isSubgraph(role) ? [] : await mistakesInFiles(configuration))];
  if (all.length > 0) throw new ConfigurationError(all);
}

async function mistakesInFiles(configuration: Configuration): Promise<string[]> {
  const checks = [
    usable('SUPERGRAPH', checkSupergraph(configuration)),
    usable('SAFELIST', openSafelist(configuration)),
  ];
  return (await Promise.allSettled<unknown>(checks)).flatMap((check) => {
    if (check.status === 'fulfilled') return [];
    if (check.reason instanceof ConfigurationError) return check.reason.mistakes;
    throw check.reason;
  });
}
