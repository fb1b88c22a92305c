import { createHash } from 'node:crypto';
import type { Era } from '../server/types.js';
import type { WasteUser, World } from '../world/types.js';
import { createSessions, randomText, type Sessions } from './sessions.js';
import { defaultSwitches, type WasteSwitches } from './switches.js';

/** An authorization code as the platform stores it (waste-identity 3.5). */
export interface Grant {
  readonly code: string;
  readonly userId: string;
  readonly applicationId: string;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  readonly codeChallenge: string | undefined;
  used: boolean;
}

interface AccessToken {
  readonly userId: string;
  readonly applicationId: string;
  /** The code that was exchanged for it; null for a fixed token. */
  readonly code: string | null;
  revoked: boolean;
}

/** The platform's data and state, shared by its two hosts. */
export interface Platform {
  readonly users: readonly PlatformUser[];
  readonly applications: Map<string, ClientApplication>;
  readonly sessions: Sessions;
  readonly switches: WasteSwitches;
  now(): number;
  era(): Era;
  /** Address of the UI host. */
  uiUrl(): string;
  userById(id: string): PlatformUser | undefined;
  userByEmail(email: string): PlatformUser | undefined;
  issueCode(grant: Omit<Grant, 'code' | 'issuedAt' | 'used'>): string;
  findGrant(code: string): Grant | undefined;
  /** Issues one more token for the user: earlier ones stay valid (waste-identity 4.2). */
  issueToken(owner: { userId: string; applicationId: string; code: string | null }): string;
  /** The user of a valid token. */
  userOfToken(token: string): PlatformUser | undefined;
  /** Revokes all tokens that match; returns how many were valid until now. */
  revokeTokens(match: { userId?: string; applicationId?: string; code?: string }): number;
  /** Applications that hold a valid token of the user. */
  authorizedApplications(userId: string): readonly ClientApplication[];
  /** Discards sessions, codes and all but the fixed tokens, and resets all switches. */
  reset(): void;
}

/** Initial data of the platform, and its clock, era and address. */
export interface PlatformOptions {
  readonly users: readonly PlatformUser[];
  /** The first one holds the fixed tokens. */
  readonly applications: readonly ClientApplication[];
  readonly now: () => number;
  readonly era: () => Era;
  readonly uiUrl: () => string;
}

/** Creates the platform with its fixed tokens. */
export function createPlatform({ users, applications, now, era, uiUrl }: PlatformOptions): Platform {
  const known = new Map(applications.map((application) => [application.id, application]));
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, AccessToken>();
  const sessions = createSessions(now);
  const switches = defaultSwitches();
  const userById = (id: string) => users.find((user) => user.id === id);
  const grantFixedTokens = (): void => {
    const [first] = applications;
    for (const [index, user] of users.entries())
      if (first !== undefined)
        tokens.set(digest(fixedToken(index)), { userId: user.id, applicationId: first.id, code: null, revoked: false });
  };
  grantFixedTokens();
  return {
    users,
    applications: known,
    sessions,
    switches,
    now,
    era,
    uiUrl,
    userById,
    userByEmail: (email) => users.find((user) => user.email.toLowerCase() === email.trim().toLowerCase()),
    issueCode(grant) {
      const code = randomText(16);
      grants.set(code, { ...grant, code, issuedAt: now(), used: false });
      return code;
    },
    findGrant: (code) => grants.get(code),
    issueToken(owner) {
      const token = randomText(40);
      tokens.set(digest(token), { ...owner, revoked: false });
      return token;
    },
    userOfToken(token) {
      const found = tokens.get(digest(token));
      return found === undefined || found.revoked ? undefined : userById(found.userId);
    },
    revokeTokens: (match) => revoke(tokens.values(), match),
    authorizedApplications(userId) {
      const ids = [...tokens.values()].filter((token) => token.userId === userId && !token.revoked);
      return [...known.values()].filter(({ id }) => ids.some((token) => token.applicationId === id));
    },
    reset() {
      grants.clear();
      tokens.clear();
      sessions.clear();
      Object.assign(switches, defaultSwitches());
      grantFixedTokens();
    },
  };
}

function revoke(tokens: Iterable<AccessToken>, match: Parameters<Platform['revokeTokens']>[0]): number {
  let revoked = 0;
  for (const token of tokens) {
    if (token.revoked) continue;
    if (match.userId !== undefined && match.userId !== token.userId) continue;
    if (match.applicationId !== undefined && match.applicationId !== token.applicationId) continue;
    if (match.code !== undefined && match.code !== token.code) continue;
    token.revoked = true;
    revoked += 1;
  }
  return revoked;
}

/** Tokens are stored as hashes only, as on the platform (waste-identity 4.2). */
function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A client application of the platform (waste-identity 5.6). */
export interface ClientApplication {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  /** Compared byte by byte with the `redirect_uri` of a request. */
  readonly redirectUris: readonly string[];
}

/** The application of Passerelle itself. Its credentials are valid only in the sandbox. */
export const wasteClient: ClientApplication = {
  id: 'cksandbox0000passerelle01',
  secret: 'sandboxWasteClientSecret0000000000000001',
  name: 'Passerelle (bac à sable)',
  redirectUris: ['http://127.0.0.1:4000/auth/waste/callback', 'http://localhost:4000/auth/waste/callback'],
};

/** The access token of the world's first user, to skip the flow: fixed, readable, and valid only in the sandbox. */
export const wasteToken = fixedToken(0);

/** The fixed access token of the user with this index in the world. */
export function fixedToken(index: number): string {
  return `sandboxWasteUser${index + 1}Token`.padEnd(40, '0');
}

/** A user of the platform. */
export interface PlatformUser extends WasteUser {
  /** The six digits of the second factor, for users who have one. */
  readonly totp?: string;
}

/** The second factor that the sandbox accepts; not a secret. */
export const SECOND_FACTOR_CODE = '123456';

/** A user with a second factor, with which the flow loses its return path (waste-identity 3.6). */
const secondFactorUser: PlatformUser = {
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
