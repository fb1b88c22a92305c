import type { Register } from './register.js';

/**
 * A record of the sandbox, in the JSON shape of today's services (what `GET` by id returns, before keys, eras and
 * permissions apply); the servers convert it to the other era's shape.
 */
export type Json = { [key: string]: unknown };

/** Whether a value is an object with keys: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How a mission's messy address was created, and which commune it is really in. */
export interface MissionTruth {
  /** INSEE code of the current commune; null for a mission abroad or without a place. */
  readonly insee: string | null;
  /** Kinds of mess that were applied, from `mess.ts`, such as `no-postal-code` or `neighbour-point`. */
  readonly mess: readonly string[];
  /** Whether the written address identifies the commune (`isResolvable`). */
  readonly resolvable: boolean;
  /** What its true point was drawn around: a town of a source independent of the boxes, or a commune's box; or null. */
  readonly source: 'town' | 'box' | null;
}

/** All generated data of the sandbox. */
export interface World {
  /** Factor on the number of generated records; geography never scales. */
  readonly scale: number;
  readonly communes: readonly Json[];
  /** INSEE codes of the communes with a box in no package, whose `localisation` is invented. */
  readonly inventedBoxes: ReadonlySet<string>;
  readonly departements: readonly Json[];
  readonly missionsLocales: readonly Json[];
  readonly certifications: readonly Json[];
  readonly formations: readonly Json[];
  readonly organismes: readonly Json[];
  /** JobOfferRead, of every status and partner. */
  readonly offers: readonly Json[];
  /**
   * Custom names that publishers gave the workplaces of their offers, by offer id. Today's service shows one only if no
   * other name is known (work-study 8.4); the seed's prefers it.
   */
  readonly customNames: ReadonlyMap<string, string>;
  /** Likely recruiters, in the JobRecruiter shape of the search. */
  readonly recruiters: readonly Json[];
  /**
   * Missions of every status, including removed ones; `applicationUrl` is the partner's, before the service rewrites
   * it.
   */
  readonly missions: readonly Json[];
  readonly organizations: readonly Json[];
  /** At the real size: further organizations, which today's volunteering service has. */
  readonly register?: Register;
  /** At the real size: rows of the export, which repeats offers and recruiters with other identifiers. */
  readonly exported?: { readonly offers: number; readonly recruiters: number };
  readonly publishers: readonly Publisher[];
  /** Users of the waste platform and their companies, in the shape of CompanyPrivate (waste-identity 5.4). */
  readonly wasteUsers: readonly WasteUser[];
  /** By mission id. */
  readonly truth: ReadonlyMap<string, MissionTruth>;
}

/** A partner that publishes missions. */
export interface Publisher {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly logo: string;
}

/** A user of the waste platform. */
export interface WasteUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly companies: readonly Json[];
}
