import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { departmentByCode, REGIONS } from '../../codes/departments.js';
import type { Position } from '../../codes/places.js';
import { centreOf } from '../communes/asked-commune.js';
import { type Arrondissement, communeIndex } from '../communes/commune-index.js';
import type { CommuneView } from './shapes.js';

/** Loads a commune when it is needed. */
export type Load = () => Awaitable<CommuneView | null>;

/** What GraphQL reads of an object: a value, or a promise if it has to be waited for. */
type Value<T> = T | Awaitable<T>;

/** A commune of which only the INSEE code is known, or what the official list says; all else is fetched when selected. */
export type LazyCommune = {
  readonly [F in Exclude<keyof CommuneView, 'code'>]: () => Value<CommuneView[F] | null>;
} & {
  readonly code: { readonly insee: string; readonly postaux: () => Value<readonly (string | null)[] | null> };
  /** The commune as the source sent it; null when the code turns out to be unknown. */
  readonly whole: Load;
  /** What was asked for, if that is a part of the commune. */
  readonly askedArrondissement?: Arrondissement;
};

/** A commune as resolvers get it: as the source sent it, or lazy. */
export type Commune = CommuneView | LazyCommune;

/** The commune of a code. `load` fetches it once, however many fields are selected that the official list lacks. */
export function lazyCommune(insee: string, load: Load): LazyCommune {
  const listed = communeIndex().byInsee.get(insee);
  const department = departmentByCode(listed?.department ?? '');
  const region = REGIONS.find(({ code }) => code === department?.region);
  const field =
    <F extends keyof CommuneView>(name: F) =>
    () =>
      whenThere(load(), (commune): CommuneView[F] | null => commune?.[name] ?? null);
  return {
    whole: load,
    code: { insee, postaux: () => whenThere(load(), (commune) => commune?.code?.postaux ?? null) },
    nom: listed ? () => listed.nom : field('nom'),
    anciennes: field('anciennes'),
    arrondissements: field('arrondissements'),
    departement: department ? () => ({ codeInsee: department.code, nom: department.nom }) : field('departement'),
    region: region ? () => ({ codeInsee: region.code, nom: region.nom }) : field('region'),
    academie: field('academie'),
    localisation: field('localisation'),
    missionLocale: field('missionLocale'),
  };
}

/**
 * The point from which joins measure: the centre of the official box, which costs no call and is there while the source is
 * down; for the few communes without a box, the source's own centre.
 */
export function joinCentreOf(commune: Commune): Value<Position | null> {
  const known = centreOf(commune.code?.insee ?? '');
  if (known !== null) return known;
  return whenThere(wholeCommune(commune), (whole) => {
    const [lon = null, lat = null] = whole?.localisation?.centre?.coordinates ?? [];
    return lon === null || lat === null ? null : { lon, lat };
  });
}

/** The commune itself, fetched if it has not been yet. */
export function wholeCommune(commune: Commune): Awaitable<CommuneView | null> {
  return 'whole' in commune ? commune.whole() : commune;
}
