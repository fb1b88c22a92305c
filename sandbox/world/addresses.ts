import type { Area } from './areas.js';
import type { Place } from './geography.js';
import type { Random } from './random.js';
import type { Json } from './types.js';
import { streetNames, streetTypes } from './words.js';

/** A street with a number. The RNA abbreviates `type` (volunteering 9, row `addressType`); `typeName` is in full. */
export interface Street {
  readonly number: string;
  readonly type: string;
  readonly typeName: string;
  readonly name: string;
}

/** Draws a random street with a number. */
export function drawStreet(random: Random): Street {
  const [type, typeName] = random.pick(streetTypes);
  return { number: String(1 + random.int(120)), type, typeName, name: random.pick(streetNames) };
}

/** `12 Rue des Lilas`. */
export function streetLine({ number, typeName, name }: Street): string {
  return `${number} ${typeName} ${name}`;
}

/** A postal code of the commune; null for islands that have none. */
export function drawPostalCode({ postaux }: Place, random: Random): string | null {
  return postaux.length === 0 ? null : random.pick(postaux);
}

/** A number from the ranges that the telephone authority reserves for fiction, so that nobody is called. */
export function drawPhone(random: Random): string {
  return `${random.pick(['0199', '0261', '0353', '0465', '0536'])}${random.digits(6)}`;
}

/** The Adresse of organismes and formations, in snake case, unlike that of communes (work-study 8.1). */
export function createAdresse(
  place: Place,
  { label, codePostal }: { readonly label: string | null; readonly codePostal: string | null },
  areas: ReadonlyMap<string, Area>,
): Json {
  const area = areas.get(place.departement);
  if (area === undefined) throw new Error(`No département has the code ${place.departement}`);
  return {
    academie: area.academie,
    code_postal: codePostal,
    commune: { code_insee: place.insee, nom: place.nom },
    departement: { code_insee: area.code, nom: area.nom },
    label,
    region: { code_insee: area.region.codeInsee, nom: area.region.nom },
  };
}
