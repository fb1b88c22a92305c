import { createAreaLabels, createAreas, createCommunes, createDepartements } from './areas.js';
import { createEmployers } from './employers.js';
import { createGazetteer } from './gazetteer.js';
import { createPlaces } from './geography.js';
import { createSiretMaker } from './identifiers.js';
import { createMissions } from './missions.js';
import { createMissionsLocales, type MissionLocale } from './missions-locales.js';
import { createOpportunities } from './offers.js';
import { readOfficialGeography } from './official-geography.js';
import { createOrganizations, type KnownOrganization } from './organizations.js';
import { slugOf } from './place-names.js';
import { createRandom, type Random } from './random.js';
import { createRegister } from './register.js';
import { createTowns } from './towns.js';
import { createTraining } from './training.js';
import type { Json, Publisher, World } from './types.js';
import { createWasteUsers } from './waste-users.js';

/** Records of each kind at scale 1: enough for deep paging, matching and large exports to matter. */
const small = {
  missions: 6_000,
  organizations: 2_400,
  companies: 800,
  offers: 2_600,
  recruiters: 1_000,
  organismes: 400,
  formations: 500,
};

/** Sizes of a world. Of `real`, what is computed on demand is missing here. */
const sizes = { small, real: { ...small, missions: 30_000, companies: 2_400, offers: 6_500, recruiters: 8_000 } };

/** As large as the services are (volunteering 8, work-study 7.6), or enough to develop and test. */
export type WorldSize = keyof typeof sizes;

/** Which world to create. */
export interface WorldOptions {
  readonly size?: WorldSize | undefined;
  /** Factor on the number of generated records; 1 if omitted. */
  readonly scale?: number;
  /** Share of the employers' SIRETs that the register of organizations has; more than half of the small world's. */
  readonly employersKnown?: number | null | undefined;
}

/** Rows of the export for a year, and a bound of the numbers of their employers (work-study 7.6). */
const EXPORTED = { offers: 325_000, recruiters: 400_000, employers: 600_000 };

/** Of the employers of apprentices, a few in a hundred are associations (volunteering 4.4). */
const EMPLOYERS_KNOWN = 0.03;

/** Most of the cost of a small world, shared by all: it is independent of the scale and never changes. */
let geography: ReturnType<typeof readGeography> | undefined;

function readGeography() {
  const official = readOfficialGeography();
  const areas = createAreas(official);
  const places = createPlaces(official);
  const towns = createTowns(places, official.cities);
  const gazetteer = createGazetteer({ places, towns, labels: createAreaLabels(areas) });
  const missionsLocales = createMissionsLocales(gazetteer, createSirets(), createRandom('missions locales'));
  // Thirty-five thousand records that are needed only by requests about geography.
  let communes: readonly Json[] | undefined;
  return {
    areas,
    places,
    gazetteer,
    missionsLocales,
    communes() {
      communes ??= createCommunes(places, areas, missionsLocales.ofCommune);
      return communes;
    },
  };
}

const createSirets = () => createSiretMaker(createRandom('sirets'));

/**
 * The data of the sandbox: the real geography of France, and generated records that refer to it and to each other. The
 * same scale always gives the same world. Each section draws from a stream of its own; shared parts come first.
 */
export function createWorld({ size = 'small', scale = 1, employersKnown }: WorldOptions = {}): World {
  const count = sizes[size];
  const isReal = size === 'real';
  const known = employersKnown ?? (isReal ? EMPLOYERS_KNOWN : null);
  geography ??= readGeography();
  const { areas, places, gazetteer, missionsLocales, communes } = geography;
  const sirets = createSirets();
  // Skip the SIRETs of the missions locales, the first of the stream.
  for (const { siret } of missionsLocales.all) if (siret.length === 14) sirets.siretOf(sirets.siren());
  const base = { gazetteer, areas, sirets };
  const of = (records: number) => Math.max(1, Math.round(records * scale));

  const training = createTraining({ ...base, organismes: of(count.organismes), formations: of(count.formations) });
  const organizations = createOrganizations({
    ...base,
    count: of(count.organizations),
    known: [...associations(missionsLocales.all, createRandom('associations')), ...training.associations],
    random: createRandom('organizations'),
  });
  const employers = createEmployers({
    ...base,
    companies: of(count.companies),
    organizations,
    known,
    random: createRandom('employers'),
  });
  const opportunities = createOpportunities({
    offers: of(count.offers),
    recruiters: of(count.recruiters),
    employers,
    centres: training.centres,
    random: createRandom('offers'),
  });
  const publishers = createPublishers(createRandom('publishers'));
  const missions = createMissions({
    ...base,
    count: of(count.missions),
    organizations,
    publishers,
    random: createRandom('missions'),
  });
  return {
    scale,
    get communes() {
      return communes();
    },
    inventedBoxes: new Set(places.filter((place) => place.boxIsInvented).map((place) => place.insee)),
    departements: createDepartements(areas),
    missionsLocales: records(missionsLocales.all),
    certifications: training.certifications,
    formations: training.formations,
    organismes: training.organismes,
    ...opportunities,
    ...missions,
    organizations: records(organizations),
    ...(isReal && {
      register: createRegister(records(organizations), known ?? EMPLOYERS_KNOWN, EXPORTED.employers),
      exported: EXPORTED,
    }),
    publishers,
    wasteUsers: createWasteUsers({ organizations, employers, sirets, random: createRandom('waste users') }),
  };
}

const records = (rows: readonly { readonly record: Json }[]) => rows.map(({ record }) => record);

/** Missions locales are associations; four in ten are among the organizations. */
function associations(missionsLocales: readonly MissionLocale[], random: Random): KnownOrganization[] {
  return missionsLocales
    .filter(({ siret }) => siret.length === 14 && random.chance(0.4))
    .map(({ siret, seat }) => ({ siret, title: `MISSION LOCALE DE ${seat.nom.toUpperCase()}`, place: seat }));
}

/** The partners that publish missions. */
function createPublishers(random: Random): Publisher[] {
  return names.map((name) => {
    const site = `https://${slugOf(name)}.example.org`;
    return { id: random.hex(24), name, url: site, logo: `${site}/logo.png` };
  });
}

const names = [
  'Élan Bénévole',
  'Coup de main',
  'Réserve Citoyenne',
  'La Ruche des Associations',
  'Villes Solidaires',
  'Campus Engagé',
  'Nature & Cie',
  'Sport pour Tous',
  'Volontaires du Service Civique',
  'Sapeurs-pompiers volontaires',
];

const worlds = new Map<string, World>();

/** The world of these options, created once per process: they always give the same, and no service changes it. */
export function sharedWorld({ size = 'small', scale = 1, employersKnown = null }: WorldOptions = {}): World {
  const name = `${size} ${scale} ${employersKnown}`;
  const world = worlds.get(name) ?? createWorld({ size, scale, employersKnown });
  worlds.set(name, world);
  return world;
}
