import { type Academie, academieOf } from './academies.js';
import type { OfficialGeography } from './official-geography.js';

/** A département or overseas collectivity, which counts as one (work-study 7.15). */
export interface Area {
  readonly code: string;
  readonly nom: string;
  readonly region: { readonly codeInsee: string; readonly nom: string };
  readonly academie: Academie;
}

/** All areas by code, in the order of the package: metropolitan first, then overseas. */
export function createAreas({ departements, regions }: OfficialGeography): ReadonlyMap<string, Area> {
  const regionNames = new Map(regions.map(({ code, nom }) => [code, nom]));
  return new Map(
    departements.map(({ code, nom, region = code }) => [
      code,
      { code, nom, region: { codeInsee: region, nom: regionNames.get(region) ?? nom }, academie: academieOf(code) },
    ]),
  );
}
