import { createAreaLabels } from './area-labels.js';
import { createCommunes, createDepartements } from './communes.js';
import { createEmployers } from './employers.js';
import { createGazetteer } from './gazetteer.js';
import { createPlaces } from './geography.js';
import { createMissions } from './missions.js';
import { createMissionsLocales } from './missions-locales.js';
import { createOpportunities } from './offers.js';
import { readOfficialGeography } from './official-geography.js';
import { createOrganizations } from './organizations.js';
import { createPublishers } from './publishers.js';
import { createRandom } from './random.js';
import { createSiretMaker } from './siret.js';
import { createTowns } from './towns.js';
import type { Json, World } from './types.js';
import { createWasteUsers } from './waste-users.js';

/** How many records of each kind there are at scale 1 (DESIGN 8 asks for 5,000, 2,000 and 3,000 at least). */
const sizes = { missions: 6_000, organizations: 2_400, companies: 800, offers: 2_600, recruiters: 1_000 };

/**
 * The data of the sandbox: the real geography of France and, around it, generated records that refer to each other. The
 * same scale gives the same world, always.
 */
export function createWorld({ scale = 1 }: { readonly scale?: number } = {}): World {
  const official = readOfficialGeography();
  const places = createPlaces(official);
  const towns = createTowns(places, official);
  const gazetteer = createGazetteer({ places, towns, labels: createAreaLabels(official) });
  const sirets = createSiretMaker(createRandom('sirets'));
  const of = (size: number) => Math.max(1, Math.round(size * scale));

  const missionsLocales = createMissionsLocales(gazetteer, sirets, createRandom('missions locales'));
  const organizations = createOrganizations({
    count: of(sizes.organizations),
    known: [],
    gazetteer,
    sirets,
    random: createRandom('organizations'),
  });
  const employers = createEmployers({
    companies: of(sizes.companies),
    organizations,
    gazetteer,
    sirets,
    random: createRandom('employers'),
  });
  const opportunities = createOpportunities({
    offers: of(sizes.offers),
    recruiters: of(sizes.recruiters),
    employers,
    centres: [],
    random: createRandom('offers'),
  });
  const publishers = createPublishers(createRandom('publishers'));
  const missions = createMissions({
    count: of(sizes.missions),
    organizations,
    publishers,
    gazetteer,
    random: createRandom('missions'),
  });
  const departements = createDepartements(official);
  // Thirty-five thousand records that a server without a question about geography never needs.
  let communes: readonly Json[] | undefined;
  return {
    scale,
    get communes() {
      communes ??= createCommunes(places, departements, missionsLocales.ofCommune);
      return communes;
    },
    inventedBoxes: new Set(places.filter((place) => place.boxIsInvented).map((place) => place.insee)),
    departements,
    missionsLocales: missionsLocales.all.map(({ record }) => record),
    certifications: [],
    formations: [],
    organismes: [],
    ...opportunities,
    ...missions,
    organizations: organizations.map(({ record }) => record),
    publishers,
    wasteUsers: createWasteUsers({ organizations, employers, sirets, random: createRandom('waste users') }),
  };
}
