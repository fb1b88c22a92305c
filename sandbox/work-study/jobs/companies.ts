import { perWorld } from '../../world/per-world.js';
import { isRecord, type Json, type World } from '../../world/types.js';
import type { CommuneSearch } from '../reference/geography.js';
import { textAt, valueAt } from '../values/fields.js';
import { OPCOS } from './search.js';
import { postalCodeIn } from './stored-offer.js';

/** Fields that the service derives from a SIRET through the company register (work-study 7.4). */
export interface Company {
  readonly brand: string | null;
  readonly legalName: string | null;
  readonly size: string | null;
  readonly domain: Json;
  readonly address: string;
  readonly geopoint: unknown;
}

/** The register of companies, and a geocoder. */
export interface CompanyRegister {
  company(siret: string): Company;
  /** The point of an address, by its postal code and commune name; undefined if it cannot be found. */
  geocode(address: string): unknown;
}

/** The sandbox's register: workplaces of the world; for any other SIRET, a company made up from its digits. */
export function createCompanyRegister(world: World, communesOf: CommuneSearch): CompanyRegister {
  return {
    company(siret) {
      const workplace = workplacesOf(world).get(siret);
      return workplace === undefined ? madeUp(siret, world) : known(workplace);
    },
    geocode(address) {
      const postalCode = postalCodeIn(address);
      const communes = postalCode === undefined ? [] : communesOf(postalCode);
      const folded = address.toLowerCase();
      const named = communes.find((one) => folded.includes((textAt(one, 'nom') ?? '').toLowerCase()));
      return valueAt(named ?? communes[0], 'localisation', 'centre');
    },
  };
}

const workplacesOf = perWorld(indexWorkplaces);

/** The employer's own workplace for each SIRET, not that of a training centre that manages an offer. */
function indexWorkplaces(world: World): Map<string, Json> {
  const index = new Map<string, Json>();
  for (const row of [...world.recruiters, ...world.offers]) {
    const { workplace } = row;
    const siret = textAt(row, 'workplace', 'siret');
    if (siret !== null && isRecord(workplace) && row['is_delegated'] !== true && !index.has(siret)) {
      index.set(siret, workplace);
    }
  }
  return index;
}

function known(workplace: Json): Company {
  const domain = workplace['domain'];
  return {
    brand: textAt(workplace, 'brand'),
    legalName: textAt(workplace, 'legal_name'),
    size: textAt(workplace, 'size'),
    domain: isRecord(domain) ? domain : {},
    address: textAt(workplace, 'location', 'address') ?? '',
    geopoint: valueAt(workplace, 'location', 'geopoint'),
  };
}

const SIZES = ['0-0', '1-2', '3-5', '6-9', '10-19', '20-49', '50-99', '100-199'];
const ACTIVITIES = [
  { code: '1071C', label: 'Boulangerie et boulangerie-pâtisserie' },
  { code: '4321A', label: "Travaux d'installation électrique dans tous locaux" },
  { code: '6201Z', label: 'Programmation informatique' },
  { code: '8411Z', label: 'Administration publique générale' },
];

function madeUp(siret: string, world: World): Company {
  const siren = siret.slice(0, 9);
  const digits = Number(siren);
  const commune = world.communes[digits % world.communes.length];
  const postal = textAt(commune, 'code', 'postaux', 0) ?? '';
  const idcc = 1000 + (digits % 2000);
  const naf = ACTIVITIES[digits % ACTIVITIES.length];
  return {
    brand: `Maison ${siren}`,
    legalName: `SOCIETE ${siren}`,
    size: SIZES[digits % SIZES.length] ?? null,
    domain: { idcc, opco: OPCOS[digits % 11] ?? null, naf: naf ?? null },
    address: `${1 + (digits % 90)} RUE DE LA MAIRIE ${postal} ${(textAt(commune, 'nom') ?? '').toUpperCase()}`,
    geopoint: valueAt(commune, 'localisation', 'centre'),
  };
}
