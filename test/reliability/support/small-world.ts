import type { World } from '../../../sandbox/world/types.js';
import { organization, PUBLISHERS } from '../../sandbox/volunteering/small-world.js';
import { tinyWorld } from '../../work-study/support/tiny-world.js';

/** RNA numbers of the organizations, of which there are enough for queries that were never sent before. */
export const RNAS = Array.from({ length: 60 }, (_, number) => `W75${1_000_000 + number}`);

/** A user of the waste platform. */
export const USER = { id: 'user-1', name: 'Camille Essai', email: 'camille@exemple.fr', password: 'camille-2026' };

/** ROME codes, each of which makes a different search. */
export const ROMES = Array.from({ length: 400 }, (_, number) => `A${1000 + number}`);

/** A world that is created quickly and has some data of each service. */
export function smallWorld(): World {
  return tinyWorld({
    organizations: RNAS.map((rna, number) =>
      organization(`5f00000000000000000${10_000 + number}`, { rna, siret: null, title: `ASSOCIATION ${number}` }),
    ),
    publishers: PUBLISHERS,
    wasteUsers: [{ ...USER, companies: [] }],
  });
}
