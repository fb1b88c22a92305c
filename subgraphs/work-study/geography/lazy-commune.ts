import type { CommuneView } from './shapes.js';

/** A commune of which only the INSEE code is known: each other field asks the source when it is selected. */
export type LazyCommune = {
  readonly [F in Exclude<keyof CommuneView, 'code'>]: () => Promise<CommuneView[F]>;
} & {
  readonly code: { readonly insee: string; readonly postaux: () => Promise<readonly (string | null)[] | null> };
  /** The commune as the source sent it; null when the code turns out to be unknown. */
  readonly whole: () => Promise<CommuneView | null>;
};

/** The commune of a reference. `load` asks for it once, however many fields are selected. */
export function lazyCommune(insee: string, load: () => Promise<CommuneView | null>): LazyCommune {
  const field =
    <F extends keyof CommuneView>(name: F) =>
    async () =>
      (await load())?.[name] ?? null;
  return {
    whole: load,
    code: { insee, postaux: async () => (await load())?.code?.postaux ?? null },
    nom: field('nom'),
    anciennes: field('anciennes'),
    arrondissements: field('arrondissements'),
    departement: field('departement'),
    region: field('region'),
    academie: field('academie'),
    localisation: field('localisation'),
    missionLocale: field('missionLocale'),
  };
}

/** The commune itself, be it there already or still to be asked for. */
export async function wholeCommune(commune: CommuneView | LazyCommune): Promise<CommuneView | null> {
  return 'whole' in commune ? commune.whole() : commune;
}
