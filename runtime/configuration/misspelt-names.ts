import { editDistance } from '../../schema/edit-distance.js';
import { VARIABLES } from './configuration-variables.js';
import { isServiceLink } from './service-links.js';

const NAMES: readonly string[] = VARIABLES.map(({ name }) => name);
/** Prefixes that only our variables have: any other name with one of them is a mistake. */
const FAMILIES = ['PASSERELLE_', 'WORK_STUDY_', 'VOLUNTEERING_', 'WASTE_', 'SUBGRAPH_'];
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
export function misspeltNames(env: Readonly<Record<string, string | undefined>>): string[] {
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
