/**
 * The data of the sandbox. Records have the JSON shape of today's services (what `GET` by id answers, before keys,
 * eras and permissions); the servers turn them into the other era's shape.
 */
export type Json = { [key: string]: unknown };

/** How the messy address of a mission came about, and which commune it really is in. */
export interface MissionTruth {
  /** INSEE code of the current commune; null for a mission without any place. */
  readonly insee: string | null;
  /** Kinds of mess that were applied, such as `no-postal-code` or `neighbour-point`. */
  readonly mess: readonly string[];
  /** Whether what was written identifies the commune: see the definition of "resolvable". */
  readonly resolvable: boolean;
}

export interface World {
  /** Factor on the number of generated records; geography never scales. */
  readonly scale: number;
  readonly communes: readonly Json[];
  readonly departements: readonly Json[];
  readonly missionsLocales: readonly Json[];
  readonly certifications: readonly Json[];
  readonly formations: readonly Json[];
  readonly organismes: readonly Json[];
  /** JobOfferRead, of every status and partner. */
  readonly offers: readonly Json[];
  /** Likely recruiters, in the JobRecruiter shape of the search. */
  readonly recruiters: readonly Json[];
  readonly missions: readonly Json[];
  readonly organizations: readonly Json[];
  readonly publishers: readonly { readonly id: string; readonly name: string }[];
  /** Users of the waste platform and the SIRETs of their companies. */
  readonly wasteUsers: readonly WasteUser[];
  /** By mission id. */
  readonly truth: ReadonlyMap<string, MissionTruth>;
}

export interface WasteUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly companies: readonly Json[];
}
