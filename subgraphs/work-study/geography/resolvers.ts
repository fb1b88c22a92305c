import { isInseeCode } from '../../codes/insee.js';
import { badUserInput, checkCode, checkRange, readPosition } from '../../graph/arguments.js';
import type { QueryMissionsLocalesArgs, Resolvers } from '../__generated__/resolvers.js';
import type { Circle } from './client.js';
import { positionOf } from './geojson.js';
import { type LazyCommune, lazyCommune, wholeCommune } from './lazy-commune.js';
import type { CommuneView } from './shapes.js';

/** Largest radius that the source takes, in kilometres (work-study 7.1, 7.8 and 7.16). */
const LARGEST_RADIUS_KM = 200;

export const geographyResolvers: Resolvers = {
  Query: {
    commune(_root, { insee }, { loaders, operation }) {
      checkCode('insee', insee, {
        isValid: isInseeCode,
        expected: 'an INSEE code: five characters, in Corsica with 2A or 2B in front',
      });
      return loaders.geography.commune(insee, operation);
    },
    communes(_root, { code }, { loaders, operation }) {
      // Anything else is refused by the source too (work-study 7.14).
      if (!/^\d{5}$/.test(code)) throw badUserInput('code', 'must have five digits');
      return loaders.geography.communes(code, operation);
    },
    departements: (_root, _args, { loaders, operation }) => loaders.geography.departements(operation),
    missionsLocales: (_root, args, { loaders, operation }) =>
      loaders.geography.missionsLocales(readCircle(args), operation),
  },
  Commune: {
    __resolveReference({ code }, { loaders, operation }) {
      const insee = code?.insee;
      // A malformed code of another source joins to nothing; it is no error of the caller's (DESIGN 5, Values).
      if (typeof insee !== 'string' || !isInseeCode(insee)) return null;
      return lazyCommune(insee, () => loaders.geography.commune(insee, operation));
    },
    departement: async (commune) => departementOf(await wholeCommune(commune)),
  },
};

/** The circle that the arguments of a search describe; null without a point. Checked before a call is spent. */
export function readCircle({ latitude, longitude, radius }: QueryMissionsLocalesArgs): Circle | null {
  checkRadius(radius);
  const position = readPosition({ lat: 'latitude', lon: 'longitude' }, latitude, longitude);
  return position === null ? null : { latitude: position.lat, longitude: position.lon, radius };
}

export function checkRadius(radius: number | null | undefined): void {
  checkRange('radius', radius, { min: 0, max: LARGEST_RADIUS_KM, unit: 'km' });
}

/** The circle around a commune's centre; null for a commune whose centre is not known. */
export async function circleAround(
  commune: CommuneView | LazyCommune,
  radius: number | null | undefined,
): Promise<Circle | null> {
  checkRadius(radius);
  const centre = positionOf((await wholeCommune(commune))?.localisation?.centre ?? null);
  return centre === null ? null : { ...centre, radius };
}

/** The département of a commune in the form of the root's: région and académie are the commune's own. */
function departementOf(commune: CommuneView | null) {
  const departement = commune?.departement ?? null;
  if (commune === null || departement === null) return null;
  return {
    get nom() {
      return departement.nom;
    },
    get codeInsee() {
      return departement.codeInsee;
    },
    get region() {
      return commune.region;
    },
    get academie() {
      return commune.academie;
    },
  };
}
