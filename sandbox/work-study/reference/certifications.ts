import type { Reply } from '../../server/reply.js';
import type { Route } from '../../server/routes.js';
import type { Json, World } from '../../world/types.js';
import { keyedRoute } from '../http/route.js';
import { textAt } from '../values/fields.js';
import { type Issue, invalidFormat, invalidType } from '../values/issues.js';

const CFD = /^[A-Z0-9]{3}\d{3}[A-Z0-9]{2}$/;
const RNCP = /^RNCP\d{3,5}$/;

/** A code to match; null for "has none", undefined for "any" (work-study 7.11). */
type Filter = string | null | undefined;

/** Certifications by diploma code, register number, both or neither (work-study 7.11). */
export function certificationRoutes(world: World): Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/certification/v1',
      read({ query }) {
        const issues: Issue[] = [];
        const cfd = readFilter(query, 'identifiant.cfd', CFD, issues);
        const rncp = readFilter(query, 'identifiant.rncp', RNCP, issues);
        return issues.length > 0 ? { issues } : { value: { cfd, rncp } };
      },
      handle: ({ cfd, rncp }) =>
        streamed(world.certifications.filter((one) => meets(one, 'cfd', cfd) && meets(one, 'rncp', rncp))),
    }),
  ];
}

/** Absent means no filter; empty or the word `null` means records without this code. */
function readFilter(query: URLSearchParams, name: string, pattern: RegExp, issues: Issue[]): Filter {
  const values = query.getAll(name);
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) issues.push(invalidType([name], 'string', values));
  else if (value === '' || value === 'null') return null;
  else if (!pattern.test(value)) issues.push(invalidFormat([name], pattern));
  return value;
}

function meets(certification: Json, code: 'cfd' | 'rncp', filter: Filter): boolean {
  return filter === undefined || textAt(certification, 'identifiant', code) === filter;
}

/** The list is streamed, one item per line, as JSON whose content type has no charset (work-study 7.11). */
function streamed(certifications: readonly Json[]): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: pieces(certifications) };
}

function* pieces(certifications: readonly Json[]): Iterable<string> {
  yield '[';
  let separator = '';
  for (const certification of certifications) {
    yield `${separator}${JSON.stringify(certification)}`;
    separator = ',\n';
  }
  yield ']';
}
