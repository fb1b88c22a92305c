import { createAdresse, drawPhone, drawPostalCode, drawStreet, streetLine } from './addresses.js';
import type { Area } from './areas.js';
import { parisDay } from './dates.js';
import type { Gazetteer } from './gazetteer.js';
import { type SiretMaker, uai } from './identifiers.js';
import type { KnownOrganization } from './organizations.js';
import { inCapitals, slugOf } from './place-names.js';
import type { Random } from './random.js';
import { createSiteDrawer, type Site } from './sites.js';
import type { Json } from './types.js';
import type { TrainingCentre } from './workplaces.js';

/** A training organisation, with the fields that formations and offers need. */
export interface Organisme extends TrainingCentre {
  readonly record: Json;
  readonly uai: string | null;
  readonly site: Site;
  readonly isOpen: boolean;
}

/** The inputs of training organisations. */
export interface OrganismeOptions {
  readonly count: number;
  readonly gazetteer: Gazetteer;
  readonly areas: ReadonlyMap<string, Area>;
  readonly sirets: SiretMaker;
  readonly random: Random;
}

/** Creates training organisations. A row's key is the pair of UAI and SIRET: some SIRETs have two (work-study 7.13). */
export function createOrganismes({ count, gazetteer, areas, sirets, random }: OrganismeOptions): Organisme[] {
  const drawSite = createSiteDrawer(gazetteer, random);
  const organismes: Organisme[] = [];
  while (organismes.length < count) {
    const site = drawSite();
    const siret = sirets.siretOf(sirets.siren());
    const address = {
      street: inCapitals(streetLine(drawStreet(random))),
      postalCode: drawPostalCode(site.place, random),
    };
    const plan: OrganismePlan = {
      siret,
      name: inCapitals(`${random.pick(kinds)} ${site.place.nom}`),
      address: [address.street, address.postalCode, inCapitals(site.place.nom)]
        .filter((part) => part !== null)
        .join(' '),
      phone: drawPhone(random),
      site,
      isOpen: random.chance(0.95),
      adresse: random.chance(0.02)
        ? null
        : createAdresse(site.place, { label: address.street, codePostal: address.postalCode }, areas),
    };
    for (let rows = random.chance(0.04) ? 2 : 1; rows > 0; rows--) organismes.push(createOrganisme(plan, random));
  }
  return organismes;
}

/** The training organisations that are associations, in the form in which organizations are created from them. */
export function associationsAmong(organismes: readonly Organisme[], random: Random): KnownOrganization[] {
  const bySiret = new Map(organismes.map((one) => [one.siret, one]));
  return random
    .sample([...bySiret.values()], Math.round(bySiret.size / 12))
    .map(({ siret, name, site }) => ({ siret, title: name, place: site.place }));
}

const kinds = [
  'CFA de',
  'Lycée des métiers de',
  'Campus des métiers de',
  'Maison familiale de',
  'Institut de formation de',
];

type OrganismePlan = Omit<Organisme, 'record' | 'uai'> & { readonly adresse: Json | null };

/** The shape of work-study 8.2. */
function createOrganisme(plan: OrganismePlan, random: Random): Organisme {
  const { siret, name, site, isOpen, adresse } = plan;
  const code = random.chance(0.12) ? null : uai(site.place.departement, random);
  const openingYear = 1970 + random.int(50);
  const closing = isOpen ? null : parisDay(2021 + random.int(5), 7, 31, 'closing');
  const record = {
    identifiant: { siret, uai: code },
    etablissement: {
      adresse,
      creation: parisDay(openingYear, 9, 1),
      enseigne: random.chance(0.75) ? null : `Campus ${site.place.nom}`,
      fermeture: closing,
      geopoint: random.chance(0.03) ? null : { type: 'Point', coordinates: site.point },
      ouvert: isOpen,
      siret,
    },
    unite_legale: {
      actif: isOpen,
      cessation: closing,
      creation: parisDay(openingYear - random.int(5), 1, 1),
      raison_sociale: name,
      siren: siret.slice(0, 9),
    },
    renseignements_specifiques: {
      numero_activite: random.chance(0.08) ? null : `${random.digits(2)}${random.digits(2)}P${random.digits(6)}`,
      qualiopi: random.chance(0.9),
    },
    statut: { referentiel: isOpen || random.chance(0.5) ? 'présent' : 'supprimé' },
    contacts: random.chance(0.4) ? [] : [contact(name, random)],
  };
  return { ...plan, uai: code, record };
}

function contact(name: string, random: Random): Json {
  return {
    email: `contact@${slugOf(name)}.example.org`,
    sources: random.sample(['Référentiel', 'Onisep', 'Affelnet'], 1 + random.int(2)),
    confirmation_referentiel: random.chance(0.5),
  };
}
