/**
 * The data of the sandbox. Records have the JSON shape of today's services (what `GET` by id returns, before keys,
 * eras and permissions); the servers turn them into the other era's shape.
 */
export type Json = { [key: string]: unknown };

/** How the messy address of a mission was made, and which commune it is really in. */
export interface MissionTruth {
  /** INSEE code of the current commune; null for a mission without a place, or abroad. */
  readonly insee: string | null;
  /** Kinds of mess that were applied, such as `no-postal-code` or `neighbour-point`: those of `mess.ts`. */
  readonly mess: readonly string[];
  /** Whether what was written identifies the commune: see the definition of "resolvable". */
  readonly resolvable: boolean;
  /** What its true point was drawn around: a town of another source than the boxes, or a commune's box; null without. */
  readonly source: 'town' | 'box' | null;
}

/** All generated data of the sandbox. */
export interface World {
  /** Factor on the number of generated records; geography never scales. */
  readonly scale: number;
  readonly communes: readonly Json[];
  /** INSEE codes of the communes whose box no package has: their `localisation` is invented. */
  readonly inventedBoxes: ReadonlySet<string>;
  readonly departements: readonly Json[];
  readonly missionsLocales: readonly Json[];
  readonly certifications: readonly Json[];
  readonly formations: readonly Json[];
  readonly organismes: readonly Json[];
  /** JobOfferRead, of every status and partner. */
  readonly offers: readonly Json[];
  /**
   * Custom names that publishers gave the workplaces of their offers, by offer id. Today's service shows one only when
   * no other name is known (work-study 8.4), the seed's shows it first.
   */
  readonly customNames: ReadonlyMap<string, string>;
  /** Likely recruiters, in the JobRecruiter shape of the search. */
  readonly recruiters: readonly Json[];
  /** Of every status, removed ones included; `applicationUrl` is the partner's own, before the service rewrites it. */
  readonly missions: readonly Json[];
  readonly organizations: readonly Json[];
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
