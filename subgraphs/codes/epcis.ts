import { readTable } from './tables.js';

/** An établissement public de coopération intercommunale à fiscalité propre: communes that act together. */
export interface Epci {
  /** Its SIREN. */
  readonly code: string;
  /** `CC Faucigny - Glières`, `Rennes Métropole`. */
  readonly nom: string;
  /** Inhabitants (population municipale). */
  readonly population: number;
  /** INSEE codes of its communes, with a space between them. */
  readonly members: string;
}

/** All 1,255 of them: cut from `@etalab/decoupage-administratif` by `npm run epcis`. */
export const EPCIS: readonly Epci[] = readTable('epcis.tsv').map(
  ([code = '', nom = '', population = '', members = '']) => ({ code, nom, population: Number(population), members }),
);

const byCode = new Map(EPCIS.map((epci) => [epci.code, epci]));

/** The EPCI with exactly this code; undefined when there is none. */
export function epciByCode(code: string): Epci | undefined {
  return byCode.get(code);
}
