import { createFamilies, type Family, type Generation } from './certification-families.js';
import { createCertificationRecord } from './certification-record.js';
import type { Certifier } from './certifiers.js';
import type { Profession } from './professions.js';
import type { Random } from './random.js';
import type { Json } from './types.js';

/** A certification, with the keys by which formations refer to it. */
export interface Certification {
  readonly record: Json;
  readonly profession: Profession;
  readonly cfd: string | null;
  readonly rncp: string | null;
}

/**
 * Every generation of every diploma, as a pair of CFD and RNCP, sometimes with only one of the two. Some have a second
 * pair: the CFD of one generation stays valid with the register's next record.
 */
export function createCertifications(certifiers: readonly Certifier[], random: Random): Certification[] {
  return createFamilies(random).flatMap((family) => {
    const chosen = random.sample(certifiers, 1 + random.int(2));
    return pairsOf(family, random).map(({ generation, cfd, rncp }) => ({
      record: createCertificationRecord({ family, generation, cfd, rncp, certifiers: chosen, random }),
      profession: family.profession,
      cfd,
      rncp,
    }));
  });
}

interface Pair {
  readonly generation: Generation;
  readonly cfd: string | null;
  readonly rncp: string | null;
}

function pairsOf({ generations }: Family, random: Random): Pair[] {
  return generations.flatMap((generation, index) => {
    const { cfd, rncp } = generation;
    const pair = random.weighted<Pair>([
      [76, { generation, cfd, rncp }],
      [12, { generation, cfd, rncp: null }],
      [12, { generation, cfd: null, rncp }],
    ]);
    const next = generations[index + 1];
    if (next === undefined || !random.chance(0.1)) return [pair];
    return [pair, { generation, cfd, rncp: next.rncp }];
  });
}
