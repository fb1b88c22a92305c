import { CodedError } from '../../../kernel/errors.js';
import { departmentMeant } from '../../codes/departments.js';
import { checkCode, checkLength, eachItem, together } from '../../graph/arguments.js';
import { orNull } from '../../rest/shape.js';
import type { QueryJobSearchArgs } from '../__generated__/resolvers.js';
import { ANYWHERE, type Circle } from '../geography/circle.js';
import { checkRomes, readLevel, readRncp } from '../values/words.js';
import type { JobOfferView, JobSearchView } from './shapes.js';

/** The filter of a job search, checked: query parameters of the source, always in the same order (work-study 7.1). */
export type JobSearchFilter = ReturnType<typeof readSearchFilter>;

type Arguments = Omit<QueryJobSearchArgs, 'latitude' | 'longitude' | 'radius'>;

/** Levels that the job search knows; the formation search knows all eight (work-study 7.1 and 7.8). */
const JOB_LEVELS = ['3', '4', '5', '6', '7'];

/** Codes of départements and overseas territories: for any other, the source silently finds nothing. */
const DEPARTEMENT = /^(0[1-9]|1\d|2[1-9AB]|[3-8]\d|9[0-5]|97[1-8]|98[46-9])$/;

/** The filter that a search's arguments describe; `readAround` reads its circle. Throws `BAD_USER_INPUT`. */
export function readSearchFilter(readAround: () => Circle | null, args: Arguments) {
  const { romes, departements, opco, partnersToExclude } = args;
  const [around, rncp, level] = together(
    readAround,
    () => readRncp(args.rncp),
    () => readLevel(args.targetDiplomaLevel, JOB_LEVELS),
    () => checkRomes(romes),
    () => eachItem('departements', departements, checkDepartement),
    () => checkLength('opco', opco, { min: 1 }),
    () => eachItem('partnersToExclude', partnersToExclude, (item, label) => checkLength(item, label, { min: 1 })),
  );
  return {
    ...(around ?? ANYWHERE),
    // One parameter with commas: the source refuses repeated ones (work-study 7.1).
    romes: romes?.join(',') || null,
    rncp,
    target_diploma_level: level,
    departements: departements ?? [],
    opco,
    partners_to_exclude: partnersToExclude ?? [],
  };
}

function checkDepartement(argument: string, code: string): void {
  checkCode(argument, code, {
    isValid: (text) => DEPARTEMENT.test(text),
    expected: `a département code: 01 to 95 with 2A and 2B for 20, and overseas 971 to 978, 984 and 986 to 989${departmentMeant(code)}`,
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
export type JobSearchFound = ReturnType<typeof searchResultOf>;

/** The result of a search; each field is computed when it is selected. `count` gets each list that is. */
export function searchResultOf(
  found: JobSearchView,
  partnersToExclude: readonly string[],
  count: RowCount = (rows) => rows,
) {
  return {
    get jobs(): Jobs {
      // The source ignores the exclusion without occupations (work-study 7.1), so it is applied here.
      const wanted = listed(found).filter(
        ({ label, isRepeated }) => !isRepeated && !partnersToExclude.includes(label ?? ''),
      );
      return count(wanted.map(({ job }) => job));
    },
    get recruiters(): JobSearchView['recruiters'] {
      return count(partnersToExclude.some((label) => RECRUITERS.test(label)) ? [] : found.recruiters);
    },
    get warnings(): JobSearchView['warnings'] {
      return found.warnings;
    },
    get truncated(): boolean {
      return (found.recruiters?.length ?? 0) >= MAX_PART_ROWS || largestPart(found) >= MAX_PART_ROWS;
    },
  };
}

/** The empty result of a search that was not made. */
export const NOTHING_FOUND: JobSearchFound = { jobs: [], recruiters: [], warnings: [], truncated: false };

/**
 * The offers with their labels, and whether they are repeated: the agency's may be sent twice, in its own part and among
 * the partners'. What cannot be read is reported where it is selected.
 */
function listed({ jobs }: JobSearchView) {
  const seen = new Set<string>();
  return (jobs ?? []).map((job) => {
    const own = orNull(() => job?.identifier && { id: job.identifier.offerId, label: job.identifier.partnerLabel });
    const { id = null, label = null } = own ?? {};
    const isRepeated = id !== null && seen.has(id);
    if (id !== null) seen.add(id);
    return { job, label, isRepeated };
  });
}

/** How many offers the largest of the three parts has. A repeated offer of the agency belongs to the partners' part. */
function largestPart(found: JobSearchView): number {
  const parts = { own: 0, agency: 0, partners: 0 };
  for (const { label, isRepeated } of listed(found)) {
    if (OWN.test(label ?? '')) parts.own += 1;
    else if (label === AGENCY && !isRepeated) parts.agency += 1;
    else parts.partners += 1;
  }
  return Math.max(parts.own, parts.agency, parts.partners);
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
