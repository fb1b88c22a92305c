import { whenThere } from '../../../kernel/awaitable.js';
import type { FieldPrice } from '../../../kernel/price.js';
import { isCfdCode } from '../../codes/registers.js';
import { checkCode, together } from '../../graph/arguments.js';
import { checkFirst, connectionOf, readPage } from '../../graph/connection.js';
import { idOf } from '../../graph/ids.js';
import type { QueryCertificationsArgs, Resolvers } from '../__generated__/resolvers.js';
import { ONE_CALL } from '../values/calls.js';
import { checkRomes, EUROPEAN_LEVELS, pairId, readLevel, readRncp } from '../values/words.js';
import { type CertificationFilter, readCertifications } from './client.js';

/** The source sends all at once, so a larger page would only make responses larger, not save a call. */
const MAX_PAGE_SIZE = 1000;

const CERTIFICATION_LEVELS = Object.keys(EUROPEAN_LEVELS);

/** At most one distinct item with `rncp`: what certifications lead to is found by their RNCP number. */
const CERTIFICATIONS: FieldPrice = { ...ONE_CALL, rows: ({ rncp }) => (typeof rncp === 'string' ? 1 : undefined) };

/** Certifications by codes and by what they lead to; pages are cut from the whole response. */
export const certificationsResolvers: Resolvers = {
  Query: {
    certifications: {
      price: CERTIFICATIONS,
      resolve(_root, args, { upstream, operation }) {
        const filter = readFilter(args);
        const { first, after } = args;
        const page = readPage(
          { first, after },
          { list: 'certifications', filter: wordedFilter(filter), maximum: MAX_PAGE_SIZE },
        );
        const end = page.offset + page.size;
        return whenThere(readCertifications(upstream, filter, operation), ({ length, complete, items }) =>
          whenThere(items(page.offset, end), (found) => ({
            ...connectionOf(page, {
              items: found,
              totalCount: complete ? length : null,
              hasNextPage: end < length,
            }),
            complete,
          })),
        );
      },
    },
  },
  Certification: {
    id: ({ identifiant }) => idOf('Certification', pairId(identifiant?.cfd, identifiant?.rncp)),
  },
};

/** Throws `BAD_USER_INPUT`. */
function readFilter({ cfd, rncp, level, romes, rncpActive, first }: QueryCertificationsArgs): CertificationFilter {
  const [number, word] = together(
    () => readRncp(rncp),
    () => readLevel(level, CERTIFICATION_LEVELS, 'level'),
    () => checkCode('cfd', cfd, { isValid: isCfdCode, expected: 'a CFD code: eight characters' }),
    () => checkRomes(romes),
    () => checkFirst(first, MAX_PAGE_SIZE),
  );
  return {
    cfd,
    rncp: number,
    level: word,
    romes: romes ?? [],
    rncpActive: rncpActive ?? null,
  };
}

/** For the cursor, null ("has none") and absent ("any") are different lists. */
function wordedFilter({ cfd, rncp, level, romes, rncpActive }: CertificationFilter) {
  const [noCfd, noRncp] = [cfd === null ? 'none' : cfd, rncp === null ? 'none' : rncp];
  return { cfd: noCfd, rncp: noRncp, level, romes: romes.length === 0 ? null : romes, rncpActive };
}
