import { isIP } from 'node:net';
import { SERVICE_ENTRIES, SERVICES } from '../../kernel/services.js';
import { editDistance } from '../../kernel/text.js';
import { type Environment, LINK, VARIABLES } from './configuration-variables.js';

const NAMES: readonly string[] = VARIABLES.map(({ name }) => name);
/** Prefixes that only our variables have: any other name with one of them is a mistake. */
export const FAMILIES = ['PASSERELLE_', ...SERVICES.map((name) => SERVICE_ENTRIES[name].prefix), 'SUBGRAPH_'];
/** Names so common that similar ones belong to other programs: HOSTS, LOGLEVEL, CCACHE_DIR. */
const COMMON = ['PORT', 'HOST', 'TRACE', 'LOG_LEVEL', 'CACHE_DIR', 'CACHE_URL'];
const DISTINCTIVE = NAMES.filter((name) => !COMMON.includes(name));
/** One character in five may differ, and at most three in a name: TRUSTED_PROXY. */
const CHARACTERS_FOR_A_CHANGE = 5;
const MAX_CHANGES = 3;
/** Names of one family resemble each other by their prefix alone. */
const MAX_CHANGES_IN_FAMILY = 2;
/** Longer names resemble none of ours. */
const MAX_NAME_LENGTH = 40;

/**
 * The misspelt names in an environment, each with a message: names of our families that are no variable, and names that
 * resemble a distinctive variable. Any other name belongs to another program, as those of Kubernetes' services do.
 */
export function misspeltNames(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (NAMES.includes(name) || isServiceLink(name, value)) return [];
    const isOfFamily = FAMILIES.some((family) => name.startsWith(family));
    const meant = nearestName(name, isOfFamily ? MAX_CHANGES_IN_FAMILY : MAX_CHANGES);
    if (meant !== undefined) return [`${name} is not a variable of Passerelle. Did you mean ${meant}?`];
    return isOfFamily ? [`${name} is not a variable of Passerelle: see --help`] : [];
  });
}

function nearestName(given: string, maxChanges: number): string | undefined {
  if (given.length > MAX_NAME_LENGTH) return undefined;
  const near = DISTINCTIVE.map((name) => ({ name, changes: editDistance(given, name) })).filter(
    ({ name, changes }) => changes <= Math.min(maxChanges, Math.floor(name.length / CHARACTERS_FOR_A_CHANGE)),
  );
  return near.sort((a, b) => a.changes - b.changes)[0]?.name;
}

const LINK_NAME = /_PORT(_\d+_(TCP|UDP|SCTP))?$/;
const PART_NAME = /_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR))$/;

/**
 * Whether a variable is one of those that Kubernetes makes of each service of a namespace unless a pod has
 * `enableServiceLinks: false`: both its name and its value have the form of one.
 */
function isServiceLink(name: string, value = ''): boolean {
  const isPart = PART_NAME.test(name) && (/^(\d+|tcp|udp|sctp)$/.test(value) || isIP(value) > 0);
  return isPart || (LINK_NAME.test(name) && LINK.test(value));
}
