import { CodedError } from '../../../kernel/errors.js';
import { departmentMeant } from '../../codes/departments.js';
import { checkCode, checkLength, eachItem, together } from '../../graph/arguments.js';
import { orNull } from '../../rest/shape.js';
import type { QueryJobSearchArgs } from '../__generated__/resolvers.js';
import type { Circle } from '../geography/circle.js';
import { queryOf } from '../values/calls.js';
import { checkRomes, readLevel, readRncp } from '../values/words.js';
import type { JobOfferView, JobSearchView } from './shapes.js';

/** The filter of a job search, checked and in the source's vocabulary (work-study 7.1). */
export interface JobSearchFilter {
  readonly around: Circle | null;
  readonly romes: readonly string[];
  readonly rncp: string | null;
  /** Level of the diploma, `3` to `7`. */
  readonly targetDiplomaLevel: string | null;
  readonly departements: readonly string[];
  readonly opco: string | null;
  readonly partnersToExclude: readonly string[];
}

type Arguments = Omit<QueryJobSearchArgs, 'latitude' | 'longitude' | 'radius'>;

/** Levels that the job search knows; the formation search knows all eight (work-study 7.1 and 7.8). */
const JOB_LEVELS = ['3', '4', '5', '6', '7'];

/** Codes of départements and overseas territories: for any other, the source silently finds nothing. */
const DEPARTEMENT = /^(0[1-9]|1\d|2[1-9AB]|[3-8]\d|9[0-5]|97[1-8]|98[46-9])$/;

/** The filter that a search's arguments describe; `readAround` reads its circle. Throws `BAD_USER_INPUT`. */
export function readSearchFilter(readAround: () => Circle | null, args: Arguments): JobSearchFilter {
  const { romes, departements, opco, partnersToExclude } = args;
  const [around, rncp, targetDiplomaLevel] = together(
    readAround,
    () => readRncp(args.rncp) ?? null,
    () => readLevel(args.targetDiplomaLevel, JOB_LEVELS),
    () => checkRomes(romes),
    () => eachItem('departements', departements, checkDepartement),
    () => checkLength('opco', opco, { min: 1 }),
    () => eachItem('partnersToExclude', partnersToExclude, (item, label) => checkLength(item, label, { min: 1 })),
  );
  return {
    around,
    romes: romes ?? [],
    rncp,
    targetDiplomaLevel,
    departements: departements ?? [],
    opco: opco ?? null,
    partnersToExclude: partnersToExclude ?? [],
  };
}

function checkDepartement(argument: string, code: string): void {
  checkCode(argument, code, {
    isValid: (text) => DEPARTEMENT.test(text),
    expected: `a département code: 01 to 95 with 2A and 2B for 20, and overseas 971 to 978, 984 and 986 to 989${departmentMeant(code)}`,
  });
}

/** The filter as query parameters, always in the same order. */
export function jobSearchQuery(filter: JobSearchFilter): [string, string][] {
  const { around, romes, rncp, targetDiplomaLevel, departements, opco, partnersToExclude } = filter;
  return queryOf({
    ...around,
    // One parameter with commas: the source refuses repeated ones (work-study 7.1).
    romes: romes.join(',') || null,
    rncp,
    target_diploma_level: targetDiplomaLevel,
    departements,
    opco,
    partners_to_exclude: partnersToExclude,
  });
}

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

/** The result of a search; each field is computed when it is selected. `count` gets each list that is. */
export function searchResultOf(
  found: JobSearchView,
  partnersToExclude: readonly string[],
  count: RowCount = (rows) => rows,
): JobSearchFound {
  return {
    get jobs() {
      // The source ignores the exclusion without occupations (work-study 7.1), so it is applied here.
      return count(distinct(found.jobs ?? []).filter((job) => !partnersToExclude.includes(labelOf(job) ?? '')));
    },
    get recruiters() {
      return count(partnersToExclude.some((label) => RECRUITERS.test(label)) ? [] : found.recruiters);
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
    const id = identifierOf(job)?.offerId ?? null;
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
function identifierOf(job: JobOfferView | null): { offerId: string | null; partnerLabel: string | null } | null {
  return orNull(() => {
    const identifier = job?.identifier ?? null;
    return identifier === null ? null : { offerId: identifier.offerId, partnerLabel: identifier.partnerLabel };
  });
}

/**
 * Most rows of searches in one request: enough for a search in each of 160 communes with as many rows as the service
 * sends. A search below each row of another one would produce a tree of rows without a call for each.
 */
const MAX_ROWS = 100_000;

const counted = new WeakMap<object, number>();

/** Returns the rows that it is given. */
type RowCount = <T extends readonly unknown[] | null>(rows: T) => T;

/** Counts rows towards a request. Throws ANSWER_TOO_LARGE for those beyond the limit. */
export function rowsOf({ request }: { readonly request: object }): RowCount {
  return (rows) => {
    const total = (counted.get(request) ?? 0) + (rows?.length ?? 0);
    counted.set(request, total);
    if (total <= MAX_ROWS) return rows;
    throw new CodedError('ANSWER_TOO_LARGE', 'Nested searches return too many rows in total: nest fewer of them.');
  };
}
