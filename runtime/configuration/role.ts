import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICE_ENTRIES, type ServiceName } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';

/** What this process is: everything in one, only the gateway, or one service's subgraph (architecture 2). */
export type Role = 'all' | 'gateway' | ServiceName;

/** Whether a process of this role serves one subgraph and no gateway. */
export function isSubgraph(role: Role): role is ServiceName {
  return role !== 'all' && role !== 'gateway';
}

/** Port of a process of this role, unless PORT sets another. */
export function defaultPort(role: Role): number {
  return isSubgraph(role) ? SERVICE_ENTRIES[role].port : 4000;
}

/** Name of this process in traces, unless OTEL_SERVICE_NAME sets another. */
export function defaultTraceName(role: Role): string {
  return isSubgraph(role) ? `passerelle-${role}` : 'passerelle';
}

/** The folder of package.json: two levels above this file in the source, three in the build. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Version of this program. */
export const VERSION = readVersion();

function readVersion(): string {
  const described: unknown = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
  return isRecord(described) ? String(described['version']) : '';
}
