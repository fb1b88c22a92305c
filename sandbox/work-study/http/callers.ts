import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sandboxKeys } from '../../server/keys.js';

/** Rights that support grants an organisation (work-study 3). */
export type Permission = 'jobs:write' | 'applications:write' | 'appointments:write';

/** The holder of a key. */
export interface Caller {
  readonly organisation: string;
  readonly permissions: readonly Permission[];
}

/** The valid keys of the service. */
export const workStudyKeys = sandboxKeys('work-study');

/** Keys that the service refuses, each with its own message (work-study 5.1). */
const refusedWorkStudyKeys = {
  expired: 'sandbox-work-study-expired-key',
  revoked: 'sandbox-work-study-revoked-key',
};

/** A key in the form in which the service issues it: a token, signed, that ends (work-study 3). */
export function workStudyToken(key: string, claims: { readonly exp: number; readonly iss?: string }): string {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const signed = `${part({ alg: 'HS256' })}.${part({ iss: 'api-apprentissage', ...claims, api_key: key })}`;
  return `${signed}.${createHmac('sha256', 'sandbox').update(signed).digest('base64url')}`;
}

/** The key in a token; a key that is none is itself. */
function keyIn(token: string): string {
  const [, payload] = token.split('.');
  if (payload === undefined) return token;
  const { api_key: key, ...claims } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (workStudyToken(key, claims) !== token) return token;
  return claims.exp * 1000 > Date.now() ? key : refusedWorkStudyKeys.expired;
}

const EVERYTHING: readonly Permission[] = ['jobs:write', 'applications:write', 'appointments:write'];

/** Alice's organisation is one of the four for which the backend makes appointments (work-study 3). */
const CALLERS: Readonly<Record<string, Caller>> = {
  [workStudyKeys.operator]: { organisation: 'passerelle', permissions: EVERYTHING },
  [workStudyKeys.alice]: { organisation: 'jeune_1_solution', permissions: EVERYTHING },
  [workStudyKeys.bob]: { organisation: 'lecteurs', permissions: [] },
};

/** Name of the key's holder, for the call log. */
export function workStudyKeyName(headers: IncomingHttpHeaders): string {
  const { authorization } = headers;
  if (authorization === undefined) return 'none';
  const named = { ...workStudyKeys, ...refusedWorkStudyKeys };
  const token = bearerToken(authorization);
  return Object.entries(named).find(([, key]) => key === token)?.[0] ?? 'unknown';
}

/** Said without a key, for a revoked one, and for every key while the database of keys fails (work-study 5.1). */
export const NO_KEY = "Vous devez fournir une clé d'API valide pour accéder à cette ressource";

/** The caller of a request, or the message of its refusal (work-study 5.1). */
export function authenticate(headers: IncomingHttpHeaders): Caller | string {
  const { authorization } = headers;
  if (authorization === undefined) return NO_KEY;
  const token = bearerToken(authorization);
  if (token === undefined) return "Le header Authorization doit être de la forme 'Bearer <token>'";
  if (token === refusedWorkStudyKeys.expired) return "La clé d'API a expirée";
  if (token === refusedWorkStudyKeys.revoked) return NO_KEY;
  return CALLERS[token] ?? "Impossible de déchiffrer la clé d'API";
}

/** The scheme word is case-insensitive (work-study 3). */
function bearerToken(authorization: string): string | undefined {
  const token = /^bearer ([^ ]+)$/i.exec(authorization)?.[1];
  return token === undefined ? undefined : keyIn(token);
}
