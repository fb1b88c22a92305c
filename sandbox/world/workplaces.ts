import { addressOf, type Employer } from './employers.js';
import { inCapitals } from './place-names.js';
import type { Random } from './random.js';
import type { Json } from './types.js';

/** A training centre (CFA) that is responsible for the offers of its partner companies. */
export interface TrainingCentre {
  readonly siret: string;
  readonly name: string;
  readonly address: string;
  readonly phone: string;
}

/** A workplace as today's service returns it (work-study 12.2.5). */
export interface Workplace extends Json {
  readonly name: string | null;
  readonly siret: string | null;
  readonly location: Json;
}

/** Options for writing a workplace. */
export interface WorkplaceOptions {
  /** Whether SIRET and names are omitted, as partners may do. */
  readonly isAnonymous: boolean;
  readonly random: Random;
}

/**
 * A workplace as one offer shows it, and the custom name that the employer gave it. Offers of one establishment differ:
 * most show the legal name, some only the custom name, and address and text vary.
 */
export function createWorkplace(
  employer: Employer,
  { isAnonymous, random }: WorkplaceOptions,
): { readonly workplace: Workplace; readonly customName: string | null } {
  const customName = random.chance(0.25) ? `${random.pick(branches)} ${employer.site.place.nom}` : null;
  // The custom name is shown if nothing else is known (work-study 8.4, row workplace.name).
  const isCustomOnly = customName !== null && random.chance(0.6);
  const isBare = isAnonymous || isCustomOnly;
  return {
    customName,
    workplace: {
      name: isCustomOnly ? customName : isAnonymous ? null : employer.legalName,
      description: random.chance(0.2) ? 'Une équipe soudée, « à taille humaine », depuis 1987.' : null,
      website: random.chance(0.7) ? employer.website : null,
      siret: isAnonymous ? null : employer.siret,
      location: {
        address: random.chance(0.9) ? inCapitals(addressOf(employer)) : addressOf(employer),
        geopoint: { type: 'Point', coordinates: random.chance(0.015) ? [0, 0] : employer.site.point },
      },
      brand: isBare ? null : employer.brand,
      legal_name: isBare ? null : employer.legalName,
      size: isAnonymous ? null : employer.size,
      domain: domainOf(employer, random),
    },
  };
}

/** The workplace with the centre's identity; the point stays the employer's (work-study 8.4, row Delegated offers). */
export function delegatedWorkplace(workplace: Workplace, { siret, name, address }: TrainingCentre): Workplace {
  const location = { ...workplace.location, address };
  return { ...workplace, name, siret, location, brand: null, legal_name: name };
}

const branches = ['Antenne de', 'Agence de', 'Équipe de', 'Site de'];

function domainOf({ sector }: Employer, random: Random): Json {
  return {
    idcc: random.chance(0.15) ? null : sector.idcc,
    opco: random.weighted<string | null>([
      [88, sector.opco],
      [8, null],
      [3, 'inconnu'],
      [1, 'OPCO multiple'],
    ]),
    naf: random.chance(0.06) ? null : { code: sector.naf.code, label: random.chance(0.95) ? sector.naf.label : null },
  };
}
