import type { WasteUser, World } from '../world/types.js';

/** A user of the platform. */
export interface PlatformUser extends WasteUser {
  /** The six digits of the second factor, for users who have one. */
  readonly totp?: string;
}

/** The second factor that the sandbox accepts; not a secret. */
export const SECOND_FACTOR_CODE = '123456';

/** A user with a second factor, with which the flow loses its return path (waste-identity 3.6). */
export const secondFactorUser: PlatformUser = {
  id: 'cksandbox00000secondfactor',
  email: 'double.facteur@example.org',
  password: 'sandbox-mot-de-passe',
  name: 'Dominique Deux-Facteurs',
  companies: [],
  totp: SECOND_FACTOR_CODE,
};

/** All users: those of the world, and one with a second factor. */
export function platformUsers(world: World): readonly PlatformUser[] {
  return [...world.wasteUsers, secondFactorUser];
}
