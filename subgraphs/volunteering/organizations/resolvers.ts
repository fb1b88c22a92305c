import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { fold } from '../../../kernel/fold.js';
import type { FieldPrice } from '../../../kernel/price.js';
import { badUserInput, checkLength, checkRna, checkSiret, together } from '../../graph/arguments.js';
import { type Connection, checkFirst, connectionOf, type PageContent, readPage } from '../../graph/connection.js';
import type { QueryOrganizationsArgs, Resolvers } from '../__generated__/resolvers.js';
import type { Context } from '../context.js';
import { departmentsOf } from '../values/departments.js';
import {
  identifierOf,
  type ListQuery,
  ONE_CALL,
  type QueryParameters,
  type Row,
  readPlainPage,
} from '../values/lists.js';
import { DEPARTMENT_CALLS, readByDepartment } from './by-department.js';
import { MAX_ORGANIZATIONS, requestList } from './client.js';
import type { OrganizationView } from './shapes.js';

/** The service cannot filter by département, so such a page reads on until it is full. */
const PAGE: FieldPrice = {
  ...ONE_CALL,
  calls: ({ department }) => (isList(department) && department.length > 0 ? DEPARTMENT_CALLS : 1),
};

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Organizations by code, lists, and references to what this request has read. */
export const organizationResolvers: Resolvers = {
  Query: {
    organization: {
      // By SIREN, then by SIRET.
      price: { ...ONE_CALL, calls: ({ rna }) => (typeof rna === 'string' ? 1 : 2) },
      resolve: (_root, { siret = null, rna = null }, { loaders, operation }) => {
        together(
          () => checkSiret('siret', siret),
          () => checkRna('rna', rna),
        );
        if (siret === null && rna === null) throw badUserInput('siret', 'or rna is needed');
        return loaders.organizationAlone({ siret, rna }, operation);
      },
    },
    organizations: { price: PAGE, resolve: listOrganizations },
  },
  Organization: {
    id: identifierOf,
    // The source has no route by identifier, so only records that this request has read can be resolved.
    __resolveReference: ({ id }, { loaders }) => loaders.seenOrganizations.byId(id),
  },
};

function listOrganizations(
  _root: unknown,
  args: QueryOrganizationsArgs,
  { upstream, loaders, operation }: Context,
): Awaitable<Connection<Row<OrganizationView>>> {
  const [filter, seats] = together(
    () => filterQuery(args),
    () => departmentsOf(args.department),
    () => checkFirst(args.first, MAX_ORGANIZATIONS),
  );
  const departments = [...new Set(seats.map(({ code }) => code))];
  const page = readPage(args, {
    list: 'organizations',
    filter: departments.length === 0 ? filter : { filter, departments },
    maximum: MAX_ORGANIZATIONS,
  });
  const fetch = (query: ListQuery) => upstream.read(requestList(query), operation);
  const read =
    departments.length === 0
      ? readPlainPage(page, (skip, limit) => fetch({ filter, skip, limit }), MAX_ORGANIZATIONS)
      : readByDepartment(page, { departments, filter }, fetch);
  return whenThere(read, (content: PageContent<Row<OrganizationView>>) => {
    loaders.seenOrganizations.add(content.items);
    return connectionOf(page, content);
  });
}

function filterQuery(args: QueryOrganizationsArgs): QueryParameters {
  const { q, siret, rna } = args;
  together(
    () => checkQuery(args),
    () => checkSiret('siret', siret),
    () => checkRna('rna', rna),
  );
  const given = Object.entries({ q, siret, rna });
  return given.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const]));
}

/**
 * The service searches by words of three letters or digits, and reads the text of the whole register for shorter ones;
 * for a text without any it would list everything (volunteering 4.4).
 */
function checkQuery({ q, siret, rna, department }: QueryOrganizationsArgs): void {
  checkLength('q', q, { min: 1, max: 500 });
  if (q === null || q === undefined) return;
  const words = fold(q).match(/[a-z0-9]+/g);
  if (words === null) {
    throw badUserInput('q', 'needs a letter from a to z or a digit: the source searches by nothing else');
  }
  const isNarrowed = [siret, rna, department?.[0]].some((other) => typeof other === 'string');
  if (isNarrowed || words.some(({ length }) => length >= 3)) return;
  throw badUserInput(
    'q',
    'needs a word of at least three letters or digits; or give `siret`, `rna` or `department` too',
  );
}
