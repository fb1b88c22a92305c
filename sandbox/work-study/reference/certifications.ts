import type { ParsedUrlQuery } from 'node:querystring';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Json, World } from '../../world/types.js';
import { keyedRoute } from '../http/route.js';
import { textAt } from '../values/fields.js';
import { type Issue, invalidFormat, invalidType } from '../values/issues.js';
import { valuesOf } from '../values/query.js';

const CFD = /^[A-Z0-9]{3}\d{3}[A-Z0-9]{2}$/;
const RNCP = /^RNCP\d{3,5}$/;

/** A code to match; null for "has none", undefined for "any" (work-study 7.11). */
type Filter = string | null | undefined;

/** Certifications by diploma code, register number, both or neither (work-study 7.11). */
export function certificationRoutes(app: FastifyInstance, world: World): void {
  keyedRoute(app, {
    method: 'GET',
    path: '/certification/v1',
    read({ query }) {
      const issues: Issue[] = [];
      const cfd = readFilter(query, 'identifiant.cfd', CFD, issues);
      const rncp = readFilter(query, 'identifiant.rncp', RNCP, issues);
      return issues.length > 0 ? { issues } : { value: { cfd, rncp } };
    },
    handle: ({ cfd, rncp }, { reply }) =>
      streamed(
        reply,
        world.certifications.filter((one) => meets(one, 'cfd', cfd) && meets(one, 'rncp', rncp)),
      ),
  });
}

/** Absent means no filter; empty or the word `null` means records without this code. */
function readFilter(query: ParsedUrlQuery, name: string, pattern: RegExp, issues: Issue[]): Filter {
  const values = valuesOf(query, name);
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
function streamed(reply: FastifyReply, certifications: readonly Json[]): Readable {
  reply.type('application/json');
  return Readable.from(pieces(certifications), { objectMode: false });
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
