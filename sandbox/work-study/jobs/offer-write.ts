/** A checked JobOfferWrite with its defaults filled in (work-study 7.4, 12.2.11). */
export interface OfferWrite {
  readonly partnerJobId: string | null;
  readonly workplace: {
    readonly siret: string;
    readonly name: string | null;
    readonly description: string | null;
    readonly website: string | null;
    readonly address: string | null;
  };
  readonly apply: { readonly email: string | null; readonly url: string | null; readonly phone: string | null };
  readonly contract: {
    readonly start: string | null;
    readonly duration: number | null;
    readonly type: readonly string[];
    readonly remote: string | null;
  };
  readonly offer: {
    readonly title: string;
    readonly description: string;
    readonly desiredSkills: readonly string[];
    readonly toBeAcquiredSkills: readonly string[];
    readonly accessConditions: readonly string[];
    readonly openingCount: number;
    readonly romeCodes: readonly string[] | null;
    readonly level: string | null;
    readonly creation: string | null;
    readonly expiration: string | null;
    readonly multicast: boolean;
    readonly status: string;
  };
}
