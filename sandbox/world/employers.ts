import { drawPostalCode, drawStreet, type Street, streetLine } from './addresses.js';
import type { Gazetteer } from './gazetteer.js';
import { laPosteSiren, type SiretMaker } from './identifiers.js';
import type { Organization } from './organizations.js';
import { inCapitals, slugOf } from './place-names.js';
import { associationProfessions, companyProfessions, type Profession } from './professions.js';
import type { Random } from './random.js';
import type { Sector } from './sectors.js';
import { createSiteDrawer, type Site, siteAround, siteInBox } from './sites.js';
import { familyNames } from './words.js';

/** An establishment that recruits; it has one SIRET. */
export interface Employer {
  readonly siret: string;
  readonly legalName: string;
  readonly brand: string | null;
  readonly site: Site;
  readonly street: Street;
  readonly postalCode: string | null;
  readonly sector: Sector;
  /** Trades that it recruits for. */
  readonly professions: readonly Profession[];
  /** Headcount band. */
  readonly size: string | null;
  readonly website: string | null;
}

/** The inputs of employers. */
export interface EmployerOptions {
  /** Number of companies, in addition to the organizations that employ people. */
  readonly companies: number;
  readonly organizations: readonly Organization[];
  /** Share of the employers that are among the organizations; null for as many as employ people. */
  readonly known: number | null;
  readonly gazetteer: Gazetteer;
  readonly sirets: SiretMaker;
  readonly random: Random;
}

/** Creates every establishment of the organizations that employ people, then the companies. */
export function createEmployers(options: EmployerOptions): Employer[] {
  const { companies, organizations, gazetteer, sirets, random } = options;
  const most = options.known === null ? undefined : Math.round((companies * options.known) / (1 - options.known));
  const known = organizations.filter((organization) => organization.isEmployer);
  // An establishment that two organizations name belongs to the first.
  const owners = new Map<string, Organization>();
  for (const organization of known) {
    for (const siret of organization.sirets) owners.set(siret, owners.get(siret) ?? organization);
  }
  const employers = [...owners]
    .slice(0, most)
    .map(([siret, organization]) => associationEmployer(organization, siret, { gazetteer, random }));
  const drawSite = createSiteDrawer(gazetteer, random);
  for (let i = 0; i < companies; i++) {
    // Three post offices, whose SIRETs fail the ordinary checksum.
    const siren = i < 3 ? laPosteSiren : sirets.siren();
    employers.push(company(drawSite(), sirets.siretOf(siren), random));
  }
  return employers;
}

/** `12 Rue des Lilas 35000 Rennes`; the register and most partners write it in capitals. */
export function addressOf({ street, postalCode, site }: Employer): string {
  return [streetLine(street), postalCode, site.place.nom].filter((part) => part !== null).join(' ');
}

function associationEmployer(
  { title, place }: Organization,
  siret: string,
  { gazetteer, random }: Pick<EmployerOptions, 'gazetteer' | 'random'>,
): Employer {
  const town = gazetteer.townsOf(place.departement).find((one) => one.place === place);
  const first = random.pick(associationProfessions);
  return {
    siret,
    legalName: inCapitals(title),
    brand: null,
    site: town === undefined ? siteInBox(place, random) : siteAround(town, random),
    professions: [first, random.pick(associationProfessions)],
    sector: first.sector,
    ...commonFields(place, random),
  };
}

function company(site: Site, siret: string, random: Random): Employer {
  const first = random.pick(companyProfessions);
  const { sector } = first;
  const name = `${random.pick(sector.words)} ${random.pick(familyNames)}`;
  const isPost = siret.startsWith(laPosteSiren);
  return {
    siret,
    legalName: isPost ? 'LA POSTE' : inCapitals(`${random.pick(['SARL', 'SAS', 'EURL', 'SA'])} ${name}`),
    brand: isPost || random.chance(0.6) ? null : name,
    site,
    professions: [first, ...companyProfessions.filter((other) => other.sector === sector && other !== first)],
    sector,
    ...commonFields(site.place, random),
    website: random.chance(0.4) ? `https://www.${slugOf(name)}.example.org` : null,
  };
}

function commonFields(place: Site['place'], random: Random) {
  return {
    street: drawStreet(random),
    postalCode: drawPostalCode(place, random),
    size: random.chance(0.12) ? null : random.pick(sizes),
    website: null,
  };
}

const sizes = ['0-0', '1-2', '3-5', '6-9', '10-19', '20-49', '50-99', '100-199', '200-249', '250-499', '500-999'];
