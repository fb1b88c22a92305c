import type { FieldPrice } from '../../../kernel/price.js';
import { isCfdCode } from '../../codes/registers.js';
import { badUserInput, checkCode } from '../../graph/arguments.js';
import { connectionOf, readPage } from '../../graph/connection.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { ONE_CALL } from '../values/scopes.js';
import { pairId, readRncp } from '../values/words.js';
import { readCertifications } from './client.js';

/** The source sends all at once, so a larger page would only make responses larger, not save a call. */
const MAX_PAGE_SIZE = 1000;

/** At most one distinct item with `rncp`: what certifications lead to is found by their RNCP number. */
const CERTIFICATIONS: FieldPrice = { ...ONE_CALL, rows: ({ rncp }) => (typeof rncp === 'string' ? 1 : undefined) };

/** Certifications by at least one code; pages are cut from the whole response. */
export const certificationsResolvers: Resolvers = {
  Query: {
    certifications: {
      reads: 'sources',
      price: CERTIFICATIONS,
      resolve(_root, { cfd, rncp, first, after }, { upstream, operation }) {
        if (cfd === undefined && rncp === undefined) {
          throw badUserInput('cfd', 'or rncp must be given: unfiltered, the source sends its whole collection');
        }
        checkCode('cfd', cfd, { isValid: isCfdCode, expected: 'a CFD code: eight characters' });
        const filter = { cfd, rncp: readRncp(rncp) };
        const page = readPage(
          { first, after },
          { list: 'certifications', filter: wordedFilter(filter), maximum: MAX_PAGE_SIZE },
        );
        return readCertifications(upstream, filter, operation).then(({ items, complete }) => ({
          ...connectionOf(page, {
            items: items.slice(page.offset, page.offset + page.size),
            totalCount: complete ? items.length : null,
            hasNextPage: page.offset + page.size < items.length,
          }),
          complete,
        }));
      },
    },
  },
  Certification: {
    id: { reads: 'parent', resolve: ({ identifiant }) => pairId(identifiant?.cfd, identifiant?.rncp) },
  },
};

/** For the cursor, null ("has none") and absent ("any") are different lists. */
function wordedFilter(filter: Record<string, string | null | undefined>) {
  return Object.fromEntries(Object.entries(filter).map(([name, code]) => [name, code === null ? 'none' : code]));
}
