import { drawPostalCode } from './addresses.js';
import type { Gazetteer } from './gazetteer.js';
import type { Place } from './geography.js';
import { rna } from './identifiers.js';
import { createOrganizationRecord } from './organization-record.js';
import { slugOf } from './place-names.js';
import { at, type Random } from './random.js';
import type { SiretMaker } from './siret.js';
import { createSiteDrawer } from './sites.js';
import type { Json } from './types.js';
import { associationCauses, associationKinds } from './words.js';

/** An organization, with the identifiers by which other sections refer to it. */
export interface Organization {
  readonly record: Json;
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly rna: string | null;
  readonly siret: string | null;
  /** Every establishment that the record names, `siret` first. */
  readonly sirets: readonly string[];
  readonly place: Place;
  readonly postalCode: string | null;
  /** Whether it has offers or is a likely recruiter. */
  readonly isEmployer: boolean;
}

/** An organization that another section already knows by its SIRET, such as a mission locale. */
export interface KnownOrganization {
  readonly title: string;
  readonly siret: string;
  readonly place: Place;
}

/** The inputs of one organization's record. */
export interface OrganizationPlan {
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly postalCode: string | null;
  readonly rna: string | null;
  readonly siret: string | null;
  readonly sirets: readonly string[];
  /** Created from the public-subsidy service, with few fields (volunteering 9, row Origin). */
  readonly isSparse: boolean;
  readonly status: string;
  readonly isEmployer: boolean;
}

/** The inputs of organizations. */
export interface OrganizationOptions {
  readonly count: number;
  readonly known: readonly KnownOrganization[];
  readonly gazetteer: Gazetteer;
  readonly sirets: SiretMaker;
  readonly random: Random;
}

/**
 * Creates organizations, the known ones first, which are at most a quarter. Four in ten employ people; about six in ten
 * have a SIRET; three in a hundred share theirs with an older row (volunteering 9, row duplicates).
 */
export function createOrganizations({ count, known, gazetteer, sirets, random }: OrganizationOptions): Organization[] {
  const drawSite = createSiteDrawer(gazetteer, random);
  const organizations: Organization[] = [];
  const add = (plan: OrganizationPlan) => {
    const slug = slugOf(plan.title);
    const record = createOrganizationRecord({ ...plan, slug }, { labels: gazetteer.labels, random });
    organizations.push({ ...plan, slug, record });
  };
  for (const one of known.slice(0, Math.ceil(count / 4))) add(knownPlan(one, random));
  while (organizations.length < count) {
    const { place } = drawSite();
    const plan = ordinaryPlan(place, sirets, random);
    const twin = random.chance(0.03) ? withSiret(organizations, random) : null;
    add(twin === null ? plan : duplicatePlan(plan, twin, random));
  }
  return organizations;
}

/** Départements where local law keeps associations out of the national register (volunteering 9, Missing territory). */
const localLaw: ReadonlySet<string> = new Set(['57', '67', '68']);

function ordinaryPlan(place: Place, sirets: SiretMaker, random: Random): OrganizationPlan {
  const isLocalLaw = localLaw.has(place.departement);
  const isEmployer = random.chance(0.42);
  const siren = isEmployer || isLocalLaw || random.chance(0.32) ? sirets.siren() : null;
  const establishments = siren === null ? [] : [sirets.siretOf(siren)];
  if (siren !== null) while (random.chance(0.12)) establishments.push(sirets.siretOf(siren));
  return {
    id: random.hex(24),
    title: `${random.pick(associationKinds)} ${random.pick(associationCauses)} de ${place.nom}`,
    place,
    postalCode: drawPostalCode(place, random),
    rna: isLocalLaw ? null : rna(place.departement, random),
    siret: establishments[0] ?? null,
    sirets: establishments,
    isSparse: isLocalLaw || random.chance(0.04),
    status: drawStatus(random),
    isEmployer,
  };
}

function knownPlan({ title, siret, place }: KnownOrganization, random: Random): OrganizationPlan {
  return {
    id: random.hex(24),
    title,
    place,
    postalCode: drawPostalCode(place, random),
    rna: localLaw.has(place.departement) ? null : rna(place.departement, random),
    siret,
    sirets: [siret],
    isSparse: localLaw.has(place.departement),
    status: 'ACTIVE',
    isEmployer: random.chance(0.5),
  };
}

/**
 * A second row for an organization's SIRET, as its own or, one time in three, only in its list of establishments: an
 * exact lookup then finds two rows and must choose.
 */
function duplicatePlan(plan: OrganizationPlan, twin: Organization, random: Random): OrganizationPlan {
  const siret = twin.siret;
  if (siret === null) return plan;
  const status = random.pick(['ACTIVE', 'DISSOLVED', 'DISSOLVED']);
  const title = random.chance(0.5) ? twin.title : plan.title;
  if (plan.siret !== null && random.chance(1 / 3)) return { ...plan, title, sirets: [...plan.sirets, siret], status };
  return { ...plan, title, siret, sirets: [siret], isEmployer: false, status };
}

function withSiret(organizations: readonly Organization[], random: Random): Organization | null {
  const found = organizations.length === 0 ? null : at(organizations, random.int(organizations.length));
  return found?.siret == null ? null : found;
}

function drawStatus(random: Random): string {
  return random.weighted([
    [86, 'ACTIVE'],
    [8, 'DISSOLVED'],
    [2, 'DELETED'],
    [3.6, 'UNKNOWN'],
    // A word that no version of the service has had yet.
    [0.4, 'MERGED'],
  ]);
}
