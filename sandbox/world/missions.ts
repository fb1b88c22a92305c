import { dayFromToday, daysFromToday, importOn } from './dates.js';
import { declareOrganization } from './declared-organization.js';
import type { Gazetteer } from './gazetteer.js';
import { uuid } from './identifiers.js';
import { createMessDrawer, type Mess } from './mess.js';
import { createMissionAddresses, flatAddress, type MissionAddresses } from './mission-addresses.js';
import {
  audiences,
  type Cause,
  causes,
  describeMission,
  refusals,
  requirements,
  schedules,
  softSkills,
  tags,
} from './mission-texts.js';
import type { Organization } from './organizations.js';
import { at, type Random } from './random.js';
import type { Json, MissionTruth, Publisher } from './types.js';

/** The inputs of missions. */
export interface MissionOptions {
  readonly count: number;
  readonly organizations: readonly Organization[];
  readonly publishers: readonly Publisher[];
  readonly gazetteer: Gazetteer;
  readonly random: Random;
}

/** Creates missions with all keys of today's service (volunteering 4.1), and the truth about where each one is. */
export function createMissions({ count, organizations, publishers, gazetteer, random }: MissionOptions) {
  const drawPlace = createMessDrawer(gazetteer, random);
  const nearby = createOrganizationPicker(organizations, random);
  const missions: Json[] = [];
  const truth = new Map<string, MissionTruth>();
  for (let i = 0; i < count; i++) {
    const { site, mess } = drawPlace();
    const type = random.weighted(types);
    const further = furtherAddresses(type, random);
    const addresses = createMissionAddresses({ site, mess }, { further, gazetteer, random });
    const id = uuid(random);
    const organization = nearby(site?.place.departement);
    const publisher = random.pick(publishers);
    missions.push(createMission({ id, type, mess, addresses, organization, publisher, random }));
    truth.set(id, addresses.truth);
  }
  return { missions, truth };
}

interface MissionPlan {
  readonly id: string;
  readonly type: string | null;
  readonly mess: ReadonlySet<Mess>;
  readonly addresses: MissionAddresses;
  readonly organization: Organization;
  readonly publisher: Publisher;
  readonly random: Random;
}

/** Volunteering 7.5; the last word is in no version of the service yet. */
const types: readonly (readonly [number, string | null])[] = [
  [87.6, 'benevolat'],
  [8, 'volontariat_service_civique'],
  [0.4, 'volontariat_sapeurs_pompiers'],
  [2, 'volontariat_reserve_operationnelle'],
  [1.8, null],
  [0.2, 'volontariat_nouveau'],
];

/**
 * One mission in sixteen has further addresses; a fire brigade's lists all its stations, at most 164 (volunteering 8).
 */
function furtherAddresses(type: string | null, random: Random): number {
  if (type === 'volontariat_sapeurs_pompiers') return 4 + random.int(160);
  return random.chance(0.06) ? 1 + random.int(3) : 0;
}

function createMission(plan: MissionPlan): Json {
  const { id, type, publisher, random } = plan;
  const { addresses } = plan.addresses;
  const cause = random.pick(causes);
  const clientId = random.digits(7);
  return {
    _id: id,
    clientId,
    addresses,
    ...people(random),
    ...compensation(type, random),
    ...texts(plan, cause),
    ...times(random),
    ...declareOrganization(plan.organization, random),
    publisherId: publisher.id,
    publisherName: publisher.name,
    publisherUrl: publisher.url,
    publisherLogo: publisher.logo,
    remote: remote(plan.mess, random),
    snu: random.chance(0.02),
    snuPlaces: null,
    ...status(random),
    type,
    places: random.chance(0.03) ? null : 1 + random.int(20),
    activity: activities(cause, random),
    applicationUrl: `${publisher.url}/missions/${clientId}`,
    id,
    ...flatAddress(addresses[0]),
    deleted: false,
    statusCommentHistoric: [],
  };
}

function people(random: Random): Json {
  const skills = random.sample(softSkills, random.int(3));
  return {
    audience: random.sample(audiences, random.int(3)),
    closeToTransport: random.pick([true, false, null]),
    openToMinors: random.pick(['yes', 'no', 'no', null]),
    reducedMobilityAccessible: random.pick(['yes', 'no', null]),
    requirements: random.sample(requirements, random.int(2)),
    romeSkills: random.chance(0.1) ? [`${300_000 + random.int(90_000)}`] : [],
    schedule: random.chance(0.3) ? '' : random.pick(schedules),
    soft_skills: skills,
    softSkills: skills,
    tags: random.sample(tags, random.int(3)),
    tasks: random.chance(0.05) ? ['Accueillir', 'Ranger le matériel'] : [],
    metadata: '',
    priority: random.weighted([
      [9, ''],
      [1, 'haute'],
    ]),
  };
}

function compensation(type: string | null, random: Random): Json {
  if (type !== 'volontariat_service_civique') {
    return { compensationAmount: null, compensationUnit: null, compensationType: null };
  }
  const unit = random.chance(0.03) ? 'week' : 'month';
  return { compensationAmount: 504.98, compensationUnit: unit, compensationType: 'net' };
}

function texts({ organization, addresses, random }: MissionPlan, { domain, titles }: Cause): Json {
  const city = addresses.addresses[0]?.['city'] ?? 'distance';
  const title = random.pick(titles);
  const { text, html } = describeMission(title, organization.title, String(city));
  return {
    title: random.chance(0.3) ? `Je souhaite ${title.charAt(0).toLowerCase()}${title.slice(1)}` : title,
    description: text,
    descriptionHtml: html,
    domain,
    domainLogo: `https://cdn.example.org/domains/${domain}-${random.int(3)}.jpg`,
  };
}

/**
 * Days start at midnight UTC, so that many missions share a `startAt` and their order is undefined (volunteering 2.4).
 */
function times(random: Random): Json {
  const start = random.int(400) - 150;
  const months = random.pick([null, 1, 3, 6, 12]);
  const created = -1 - random.int(400);
  return {
    startAt: random.chance(0.03) ? null : daysFromToday(start),
    endAt: months === null ? null : daysFromToday(start + months * 30),
    duration: months,
    postedAt: random.chance(0.02) ? null : dayFromToday(random, [created, created + 1]),
    createdAt: importOn(created, random),
    updatedAt: importOn(created + random.int(-created), random),
    lastSyncAt: importOn(-1, random),
  };
}

/** `local` is new and comes without an address (volunteering 8); `hybride` is in no version of the service. */
function remote(mess: ReadonlySet<Mess>, random: Random): string | null {
  if (mess.has('no-address')) return random.pick(['full', 'full', 'full', 'local', 'no', null]);
  return random.weighted(remotes);
}

const remotes: readonly (readonly [number, string | null])[] = [
  [76, 'no'],
  [15, 'possible'],
  [5, 'full'],
  [3.4, null],
  [0.4, 'local'],
  [0.2, 'hybride'],
];

/** Refused and removed missions are in no list (volunteering 2.3). */
function status(random: Random): Json {
  const isRefused = random.chance(0.02);
  return {
    statusCode: isRefused ? 'REFUSED' : 'ACCEPTED',
    statusComment: isRefused ? random.pick(refusals) : null,
    deletedAt: random.chance(0.005) ? daysFromToday(-random.int(20)) : null,
  };
}

/** Sorted names joined with `, `: those that contain a comma cannot be split safely (volunteering 4.1). */
function activities({ activity }: Cause, random: Random): string | null {
  if (random.chance(0.02)) return null;
  if (random.chance(0.75)) return activity;
  return [...new Set([activity, random.pick(causes).activity])].sort().join(', ');
}

/** Picks an organization of the same département if there is one. */
function createOrganizationPicker(organizations: readonly Organization[], random: Random) {
  const byDepartement = new Map<string, Organization[]>();
  for (const organization of organizations) {
    const group = byDepartement.get(organization.place.departement) ?? [];
    group.push(organization);
    byDepartement.set(organization.place.departement, group);
  }
  return (departement: string | undefined): Organization => {
    const near = departement === undefined ? undefined : byDepartement.get(departement);
    return near === undefined ? at(organizations, random.int(organizations.length)) : random.pick(near);
  };
}
