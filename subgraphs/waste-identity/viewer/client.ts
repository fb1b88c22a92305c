import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { Upstream, UpstreamRequest } from '../../rest/call/upstream.js';
import { readGraphqlResponse } from './graphql-response.js';
import type { CompaniesView, CompanyView, ResponseData, UserView } from './shapes.js';

/** Largest page of companies that the platform serves (waste-identity 5.4). */
const COMPANIES_OF_A_PAGE = 500;
/** Most pages per query, for ten thousand establishments. */
const PAGES = 20;

const COMPANIES = `myCompanies(first: ${COMPANIES_OF_A_PAGE}, after: $after) {
  pageInfo { hasNextPage endCursor }
  edges { node { siret orgId vatNumber name givenName address naf libelleNaf companyTypes } }
}`;

const ME = 'query Viewer { me { id email name } }';
const ME_AND_COMPANIES = `query ViewerWithCompanies($after: ID) { me { id email name } ${COMPANIES} }`;
const MORE_COMPANIES = `query MoreCompanies($after: ID) { ${COMPANIES} }`;

/** A company, or the error of one that is not an object. */
type CompanyRow = CompanyView | CodedError | null;

/** The user of a token, and their companies if requested. */
export interface Viewer {
  readonly user: UserView;
  /** All companies of the user; empty unless they were requested. */
  companies(): Promise<readonly CompanyRow[]>;
}

/** The part of the platform's resource API that identifies a user. Its responses are never cached. */
export interface ViewerClient {
  /** The user of the operation's token. One call, and one more for each further 500 companies. */
  viewer(withCompanies: boolean, operation: OperationContext): Promise<Viewer | null>;
}

/** A client that calls with the caller's own token, and never repeats what it reads in an error or the log. */
export function createViewerClient(upstream: Upstream): ViewerClient {
  const fetch = (query: string, after: string | null, operation: OperationContext): Promise<ResponseData | null> =>
    upstream.call(
      { ...requestData(query, after), parse: ({ json }) => readGraphqlResponse(json, upstream.origin) },
      operation,
    );
  return {
    async viewer(withCompanies, operation) {
      const data = await fetch(withCompanies ? ME_AND_COMPANIES : ME, null, operation);
      const user = data?.me ?? null;
      const more = async (after: string) => (await fetch(MORE_COMPANIES, after, operation))?.myCompanies ?? null;
      return user === null ? null : { user, companies: async () => allCompanies(data?.myCompanies ?? null, more) };
    },
  };
}

function requestData(query: string, after: string | null): Omit<UpstreamRequest<unknown>, 'parse'> {
  return {
    method: 'POST',
    write: false,
    template: '/',
    path: '/',
    body: { query, ...(after !== null && { variables: { after } }) },
    cache: 'never',
    key: 'caller',
    confidential: true,
  };
}

async function allCompanies(
  first: CompaniesView | null,
  more: (after: string) => Promise<CompaniesView | null>,
): Promise<CompanyRow[]> {
  const companies: CompanyRow[] = [];
  let page = first;
  for (let pages = 1; page !== null; pages++) {
    companies.push(...(page.edges ?? []).map(companyOf));
    const after = page.pageInfo?.hasNextPage ? page.pageInfo.endCursor : null;
    page = after === null || pages === PAGES ? null : await more(after);
  }
  return companies;
}

function companyOf(edge: { readonly node: CompanyView | null } | CodedError | null): CompanyRow {
  if (edge instanceof CodedError) return edge;
  try {
    return edge?.node ?? null;
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}
