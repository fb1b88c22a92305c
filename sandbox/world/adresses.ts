import type { Area } from './areas.js';
import type { Place } from './geography.js';
import type { Json } from './types.js';

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
