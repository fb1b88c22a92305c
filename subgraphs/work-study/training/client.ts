import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader } from '../../graph/loader.js';
import type { Upstream, UpstreamRequest } from '../../rest/upstream.js';
import type { Circle } from '../geography/circle.js';
import { FORWARDED, pagedList, queryOf, route, SEARCHED, type Stretch } from '../values/calls.js';
import { AppointmentLink, type AppointmentLinkView, Formation, type FormationView } from './shapes.js';

/** The filter of a course search, checked and in the source's vocabulary (work-study 7.8). */
export interface FormationFilter {
  readonly around: Circle | null;
  readonly targetDiplomaLevel: string | null;
  readonly romes: readonly string[];
  readonly rncp: string | null;
  readonly includeArchived: boolean;
}

/** The key of the course for which an appointment is requested: one of three, in the source's format. */
export type AppointmentKey = Readonly<Record<string, string>>;

/**
 * Form of a key at the ministry: letters, digits and a few signs, as in `049510P…12-49099#L01`. The name of the search
 * route is never a key, in any letter case, because the service matches routes case-insensitively (work-study 2).
 */
const isCourseKey = (id: string) => /^[\w#|-]{1,128}$/.test(id) && id.toLowerCase() !== 'search';

/** A link to request an appointment with (work-study 7.10). */
export function requestAppointmentLink(key: AppointmentKey): UpstreamRequest<AppointmentLinkView> {
  return {
    ...route('POST', '/formation/v1/appointment/generate-link'),
    ...FORWARDED,
    body: key,
    cache: 'never',
    key: 'caller',
    parse: AppointmentLink.parse,
  };
}

function requestFormation(id: string): UpstreamRequest<FormationView> {
  return {
    // The key contains a `#`; unencoded, it would cut off the rest (work-study 7.9).
    ...route('GET', '/formation/v1/{id}', id),
    ...SEARCHED,
    unknown: 'null',
    parse: Formation.parse,
  };
}

/** The filter as query parameters, always in the same order. */
function formationQuery(filter: FormationFilter): [string, string][] {
  const { around, targetDiplomaLevel, romes, rncp, includeArchived } = filter;
  return queryOf({
    ...around,
    target_diploma_level: targetDiplomaLevel,
    romes: romes.join(',') || null,
    rncp,
    include_archived: includeArchived ? 'true' : null,
  });
}

const FORMATIONS = pagedList(Formation, '/formation/v1/search');

/** Courses for one request, already loaded or to be loaded. */
export function createTrainingLoaders(upstream: Upstream) {
  const stretch = FORMATIONS(upstream);
  return {
    /** A stretch of the courses that a search finds (work-study 7.8). */
    stretch: (filter: FormationFilter, of: Stretch, operation: OperationContext) =>
      stretch(formationQuery(filter), of, operation),
    /** By key at the ministry of education (work-study 7.9); null when unknown. */
    formation: createSingleLoader((id: string, operation) =>
      isCourseKey(id) ? upstream.read(requestFormation(id), operation) : null,
    ),
  };
}
