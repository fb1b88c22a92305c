import { drawPostalCode, drawStreet, type Street, streetLine } from './addresses.js';
import type { AreaLabels } from './areas.js';
import { dayFromToday, daysFromToday } from './dates.js';
import type { Gazetteer } from './gazetteer.js';
import type { Place } from './geography.js';
import { rna, type SiretMaker } from './identifiers.js';
import { inCapitals, slugOf } from './place-names.js';
import { at, type Random } from './random.js';
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

/** Sources for writing a record. */
export interface RecordContext {
  readonly labels: AreaLabels;
  readonly random: Random;
}

/** The row that today's service returns, including internal columns (volunteering 4.4, 10.7). */
function createOrganizationRecord(
  plan: OrganizationPlan & { readonly slug: string },
  { labels, random }: RecordContext,
): Json {
  const { id, title, slug, isSparse } = plan;
  const shortTitle = !isSparse && random.chance(0.35) ? initials(title) : null;
  const siren = plan.siret?.slice(0, 9) ?? null;
  return {
    rna: plan.rna,
    siren,
    siret: messySiret(plan, random),
    sirets: plan.sirets,
    rupMi: random.chance(0.01) ? random.digits(8) : null,
    gestion: isSparse || plan.rna === null ? null : `${plan.rna.slice(1, 4)}P`,
    status: plan.status,
    ...dates(plan, random),
    nature: isSparse ? null : random.weighted(natures),
    groupement: isSparse ? null : random.weighted(groupements),
    title: isSparse ? inCapitals(title) : title,
    names: [slug],
    shortTitle,
    searchText: [slug.replaceAll('-', ' '), shortTitle?.toLowerCase(), plan.rna?.toLowerCase(), plan.siret, siren]
      .filter((part) => part != null)
      .join(' '),
    titleSlug: slug,
    shortTitleSlug: shortTitle === null ? null : slugOf(shortTitle),
    object: random.chance(0.06) ? null : `Objet : ${title.toLowerCase()} ; « agir ensemble », sans but lucratif.`,
    socialObject1: isSparse ? null : random.chance(0.05) ? '000000' : `0${random.digits(5)}`,
    socialObject2: !isSparse && random.chance(0.2) ? `0${random.digits(5)}` : null,
    ...seat(plan, { labels, random }),
    directorCivility: isSparse ? null : random.pick(['PM', 'PF']),
    website: !isSparse && random.chance(0.12) ? `https://${slug.slice(0, 40)}.example.org` : null,
    observation: !isSparse && random.chance(0.03) ? 'Reprise de dossier' : null,
    syncAt: daysFromToday(-30 + random.next() / 24),
    source: isSparse ? 'DATA_SUBVENTION' : null,
    isRUP: random.chance(0.01),
    letudiantPublicId: null,
    letudiantUpdatedAt: null,
    lastExportedToPgAt: null,
    _id: id,
  };
}

const natures = [
  [92, 'D'],
  [3, 'R'],
  [3, 'G'],
  [1, 'U'],
  [1, 'I'],
] as const;

const groupements = [
  [90, 'SIMPLE'],
  [5, 'UNION'],
  [4, 'FEDERATION'],
  [1, 'UNKNOWN'],
] as const;

/** A few SIRETs are mistyped: the import does not check them (volunteering 9, row siret). */
function messySiret({ siret, isEmployer }: OrganizationPlan, random: Random): string | null {
  if (siret === null) return random.chance(0.03) ? '' : null;
  return !isEmployer && random.chance(0.01) ? siret.slice(0, 13) : siret;
}

function dates({ status, isSparse }: OrganizationPlan, random: Random): Json {
  const created = -random.int(18_000) - 900;
  const updated = created + random.int(-created - 30);
  const dissolved = status === 'DISSOLVED' ? dayFromToday(random, [updated - 200, updated]) : null;
  return {
    createdAt: daysFromToday(created),
    lastDeclaredAt: isSparse || random.chance(0.1) ? null : dayFromToday(random, [created, updated]),
    publishedAt: isSparse ? null : daysFromToday(created + 30),
    // How the register writes "not dissolved" (volunteering 9, row dates).
    dissolvedAt: dissolved ?? (random.chance(0.02) ? '0001-01-01T00:00:00.000Z' : null),
    updatedAt: daysFromToday(updated + random.next()),
  };
}

function seat({ place, postalCode, isSparse }: OrganizationPlan, { labels, random }: RecordContext): Json {
  const street = random.chance(0.85) ? drawStreet(random) : null;
  const written = messyPostalCode(postalCode, random);
  return {
    addressComplement: null,
    addressNumber: street?.number ?? null,
    addressRepetition: street !== null && random.chance(0.04) ? 'B' : null,
    addressType: street?.type ?? null,
    addressStreet: street?.name ?? null,
    addressDistribution: random.chance(0.03) ? 'BP 12' : null,
    addressInseeCode: isSparse ? null : messyInseeCode(place, random),
    addressPostalCode: written,
    ...department(written, labels),
    addressCity: isSparse ? inCapitals(place.nom) : place.nom,
    ...management(place, street, { postalCode, isSparse }),
  };
}

function management(
  place: Place,
  street: Street | null,
  { postalCode, isSparse }: Pick<OrganizationPlan, 'postalCode' | 'isSparse'>,
) {
  return {
    managementDeclarant: null,
    managementComplement: null,
    managementStreet: isSparse || street === null ? null : streetLine(street),
    managementDistribution: null,
    managementPostalCode: isSparse ? null : postalCode,
    managementCity: isSparse ? null : inCapitals(place.nom),
    managementCountry: isSparse ? null : 'FRANCE',
  };
}

/** The code of an arrondissement, of a merged commune, junk, or nothing: volunteering 9, row addressInseeCode. */
function messyInseeCode({ insee, anciennes, arrondissements }: Place, random: Random): string | null {
  if (random.chance(0.04)) return null;
  if (random.chance(0.015)) return random.pick(['0', 'INSEE', '']);
  if (arrondissements.length > 0) return random.chance(0.8) ? random.pick(arrondissements).code : insee;
  return anciennes.length > 0 && random.chance(0.3) ? random.pick(anciennes).codeInsee : insee;
}

/** Some rows have lost their leading zeros: the import does not pad (volunteering 9, row addressPostalCode). */
function messyPostalCode(postalCode: string | null, random: Random): string | null {
  if (postalCode === null || random.chance(0.02)) return null;
  return postalCode.startsWith('0') && random.chance(0.2) ? postalCode.slice(1) : postalCode;
}

/** Derived from the postal code by the import, with its quirks (volunteering 9, row addressDepartmentCode). */
function department(postalCode: string | null, labels: AreaLabels): Json {
  const code = postalCode === null ? null : departmentCode(postalCode);
  return {
    addressDepartmentCode: code,
    addressDepartmentName: labels.departement(code ?? '') ?? 'UNKNOWN',
    addressRegion: labels.regionOf(code ?? '') ?? 'UNKNOWN',
  };
}

function departmentCode(postalCode: string): string {
  if (/^9[78]/.test(postalCode)) return postalCode.slice(0, 3);
  return postalCode.slice(0, postalCode.length === 5 ? 2 : 1);
}

function initials(title: string): string {
  return inCapitals(title)
    .split(/[^A-Z]+/)
    .filter((word) => word.length > 2)
    .map((word) => word[0])
    .join('')
    .slice(0, 8);
}
