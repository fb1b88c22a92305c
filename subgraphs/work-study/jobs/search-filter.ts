import { departmentMeant } from '../../codes/departments.js';
import { checkCode, checkLength } from '../../graph/arguments.js';
import type { QueryJobSearchArgs } from '../__generated__/resolvers.js';
import { type Circle, circleQuery } from '../geography/circle.js';
import { checkRncp, checkRomes, readLevel } from '../values/argument-checks.js';

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

/** The filter that a search's arguments describe, around a point or without one. Throws `BAD_USER_INPUT`. */
export function readJobSearch(around: Circle | null, args: Arguments): JobSearchFilter {
  const { romes, rncp, departements, opco, partnersToExclude } = args;
  checkRomes(romes);
  checkRncp(rncp);
  for (const code of departements ?? []) {
    checkCode('departements', code, {
      isValid: (text) => DEPARTEMENT.test(text),
      expected: `a list of département codes: 01 to 95 with 2A and 2B for 20, and overseas 971 to 978, 984 and 986 to 989${departmentMeant(code)}`,
    });
  }
  checkLength('opco', opco, { min: 1 });
  for (const label of partnersToExclude ?? []) checkLength('partnersToExclude', label, { min: 1 });
  return {
    around,
    romes: romes ?? [],
    rncp: rncp ?? null,
    targetDiplomaLevel: readLevel(args.targetDiplomaLevel, JOB_LEVELS),
    departements: departements ?? [],
    opco: opco ?? null,
    partnersToExclude: partnersToExclude ?? [],
  };
}

/** The filter as query parameters, always in the same order. */
export function jobSearchQuery(filter: JobSearchFilter): [string, string][] {
  const { around, romes, rncp, targetDiplomaLevel, departements, opco, partnersToExclude } = filter;
  const query: [string, string][] = around === null ? [] : circleQuery(around);
  // One parameter with commas: the source refuses repeated ones (work-study 7.1).
  if (romes.length > 0) query.push(['romes', romes.join(',')]);
  if (rncp !== null) query.push(['rncp', rncp]);
  if (targetDiplomaLevel !== null) query.push(['target_diploma_level', targetDiplomaLevel]);
  for (const departement of departements) query.push(['departements', departement]);
  if (opco !== null) query.push(['opco', opco]);
  for (const partner of partnersToExclude) query.push(['partners_to_exclude', partner]);
  return query;
}
