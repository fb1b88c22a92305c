import { orNull } from '../../rest/responses/shape.js';
import type { JobOfferView, JobSearchView } from './shapes.js';

/** Most items in each part of a response: own offers, the agency's, partners', and recruiters (work-study 7.1). */
const MAX_PART_ROWS = 150;

/** Label of the national employment agency's offers (work-study 8.3). */
const AGENCY = 'France Travail';
/** Labels of own offers: `offres_emploi_lba` today, `offres_emploi_svc` in the seed (work-study 8.3). */
const OWN = /^offres_emploi_/;
/** Labels of likely recruiters: `recruteurs_lba` today, `recruteurs_svc` in the seed. */
const RECRUITERS = /^recruteurs_/;

type Jobs = readonly (JobOfferView | null)[];

/** The parent of `JobSearchResult`. */
export interface JobSearchFound {
  readonly jobs: Jobs;
  readonly recruiters: JobSearchView['recruiters'];
  readonly warnings: JobSearchView['warnings'];
  readonly truncated: boolean;
}

/** The result of a search; each field is computed when it is selected. */
export function searchResultOf(found: JobSearchView, partnersToExclude: readonly string[]): JobSearchFound {
  return {
    get jobs() {
      // The source ignores the exclusion without occupations (work-study 7.1), so it is applied here.
      return distinct(found.jobs ?? []).filter((job) => !partnersToExclude.includes(labelOf(job) ?? ''));
    },
    get recruiters() {
      return partnersToExclude.some((label) => RECRUITERS.test(label)) ? [] : found.recruiters;
    },
    get warnings() {
      return found.warnings;
    },
    get truncated() {
      return (found.recruiters?.length ?? 0) >= MAX_PART_ROWS || largestPart(found.jobs ?? []) >= MAX_PART_ROWS;
    },
  };
}

/** The empty result of a search that was not made. */
export const NOTHING_FOUND: JobSearchFound = { jobs: [], recruiters: [], warnings: [], truncated: false };

/** Drops repeated offers: the agency's may be sent twice, in its own part and among the partners'. */
function distinct(jobs: Jobs): (JobOfferView | null)[] {
  const isNew = firstTimes();
  return jobs.filter((job) => isNew(job));
}

/** How many offers the largest of the three parts has. A repeated offer of the agency belongs to the partners' part. */
function largestPart(jobs: Jobs): number {
  const isNew = firstTimes();
  const parts = { own: 0, agency: 0, partners: 0 };
  for (const job of jobs) {
    const label = labelOf(job) ?? '';
    const first = isNew(job);
    if (OWN.test(label)) parts.own += 1;
    else if (label === AGENCY && first) parts.agency += 1;
    else parts.partners += 1;
  }
  return Math.max(parts.own, parts.agency, parts.partners);
}

/** Returns whether an offer is seen for the first time; one without an identifier always is. */
function firstTimes(): (job: JobOfferView | null) => boolean {
  const seen = new Set<string>();
  return (job) => {
    const id = identifierOf(job)?.id ?? null;
    if (id === null) return true;
    const first = !seen.has(id);
    seen.add(id);
    return first;
  };
}

function labelOf(job: JobOfferView | null): string | null {
  return identifierOf(job)?.partnerLabel ?? null;
}

/** An offer's identifiers; null if they cannot be read, which is reported where they are selected. */
function identifierOf(job: JobOfferView | null): { id: string | null; partnerLabel: string | null } | null {
  return orNull(() => {
    const identifier = job?.identifier ?? null;
    return identifier === null ? null : { id: identifier.id, partnerLabel: identifier.partnerLabel };
  });
}
