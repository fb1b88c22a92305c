import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { isRecord, ownValue } from '../../../kernel/text.js';
import { createSingleLoader } from '../../graph/loader.js';
import { orError, orNull, type Sender } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest } from '../../rest/upstream.js';
import { type CompaniesView, type CompanyView, dataShape, type ResponseData, type UserView } from './shapes.js';

/** The counter of all calls from our address, by its name in `figures().quotas`. */
export const HOST = 'host';

/** Largest page of companies that the platform serves (waste-identity 5.4). */
const COMPANIES_OF_A_PAGE = 500;
/** Most pages per query, for ten thousand establishments. */
const PAGES = 20;

const COMPANIES = `myCompanies(first: ${COMPANIES_OF_A_PAGE}, after: $after) {
  totalCount
  pageInfo { hasNextPage endCursor }
  edges { node {
    siret orgId vatNumber name givenName address naf libelleNaf companyTypes verificationStatus userRole isDormantSince
  } }
}`;

const ME = 'query Viewer { me { id email name } }';
const ME_AND_COMPANIES = `query ViewerWithCompanies($after: ID) { me { id email name } ${COMPANIES} }`;
const MORE_COMPANIES = `query MoreCompanies($after: ID) { ${COMPANIES} }`;

/** A company, or the error of one that is not an object. */
type CompanyRow = CompanyView | CodedError | null;

/** The companies of a user, and whether they are all that the platform counts; null if it does not count them. */
interface Companies {
  readonly rows: readonly CompanyRow[];
  readonly complete: boolean | null;
}

/** The user of a token, and their companies if requested. */
export interface Viewer {
  readonly user: UserView;
  /** All companies of the user, read once for both fields; none unless they were requested. */
  companies(): Promise<Companies['rows']>;
  companiesComplete(): Promise<Companies['complete']>;
}

/**
 * The user of the operation's token, which is never repeated in an error or the log. One call, and one more for each
 * further 500 companies. Responses are never cached.
 */
async function readViewer(
  upstream: Upstream,
  withCompanies: boolean,
  operation: OperationContext,
): Promise<Viewer | null> {
  const fetch = (query: string, after: string | null) =>
    upstream.call(requestData(query, after, upstream.sender), operation);
  const data = await fetch(withCompanies ? ME_AND_COMPANIES : ME, null);
  const user = data?.me ?? null;
  if (user === null) return null;
  const more = async (after: string) => (await fetch(MORE_COMPANIES, after))?.myCompanies ?? null;
  let reading: Promise<Companies> | undefined;
  const read = () => {
    reading ??= readCompanies(data?.myCompanies ?? null, more);
    return reading;
  };
  return {
    user,
    companies: async () => (await read()).rows,
    companiesComplete: async () => (await read()).complete,
  };
}

function requestData(query: string, after: string | null, sender: Sender): UpstreamRequest<ResponseData> {
  return {
    method: 'POST',
    write: false,
    template: '/',
    path: '/',
    body: { query, ...(after !== null && { variables: { after } }) },
    cache: 'never',
    key: 'caller',
    confidential: true,
    parse: ({ json }) => readGraphqlResponse(json, sender),
  };
}

/** Reads pages as long as they have companies that earlier ones did not have, and leaves out those that they repeat. */
async function readCompanies(
  first: CompaniesView | null,
  more: (after: string) => Promise<CompaniesView | null>,
): Promise<Companies> {
  const rows: CompanyRow[] = [];
  const known = new Set<string | null>();
  let page = first;
  for (let pages = 1; page !== null; pages++) {
    const fresh = (page.edges ?? []).map(companyOf).filter((row) => !known.has(orgIdOf(row)));
    rows.push(...fresh);
    for (const row of fresh) known.add(orgIdOf(row));
    // Companies that cannot be read cannot be told from each other.
    known.delete(null);
    const after = page.pageInfo?.hasNextPage && fresh.length > 0 ? page.pageInfo.endCursor : null;
    page = after === null || pages === PAGES ? null : await more(after);
  }
  const total = orNull(() => first?.totalCount ?? null);
  return { rows, complete: total === null ? null : rows.length >= total };
}

/** What tells a company from others; null if it cannot be read. */
function orgIdOf(row: CompanyRow): string | null {
  return row === null || row instanceof CodedError ? null : orNull(() => row.orgId);
}

function companyOf(edge: { readonly node: CompanyView | null } | CodedError | null): CompanyRow {
  return edge instanceof CodedError ? edge : orError(() => edge?.node ?? null);
}

/**
 * The data of a GraphQL response. The platform sends everything with status 200, even for a revoked or unknown token,
 * so only the code of an error decides, never the status or the message (waste-identity 5.2).
 */
export function readGraphqlResponse(json: unknown, sender: Sender): ResponseData {
  if (!isRecord(json)) throw refusal('UPSTREAM_INVALID_RESPONSE', sender);
  const { data, errors } = json;
  // All documents select fields that are never null, so with an error there are no data worth showing.
  if (Array.isArray(errors) && errors.length > 0) throw refusal(codeOf(errors), sender);
  return dataShape.view(data, sender);
}

/** Meaning of the platform's codes (waste-identity 5.2, 5.3). */
const MEANING: Readonly<Record<string, ErrorCode>> = {
  UNAUTHENTICATED: 'RECONNECT_REQUIRED',
  FORBIDDEN: 'PERMISSION_DENIED',
  INTERNAL_SERVER_ERROR: 'UPSTREAM_UNAVAILABLE',
  BAD_USER_INPUT: 'UPSTREAM_REFUSED_INPUT',
};

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  RECONNECT_REQUIRED: 'The waste platform no longer accepts the token: log in again.',
  PERMISSION_DENIED: 'The waste platform knows the token, but it lacks this permission.',
  UPSTREAM_UNAVAILABLE: 'The waste platform responded with an error of its own.',
};

function codeOf(errors: readonly unknown[]): ErrorCode {
  const codes = errors.map((error) =>
    isRecord(error) && isRecord(error['extensions']) ? String(error['extensions']['code']) : '',
  );
  // A document may fail for several reasons at once; a refused token explains all others.
  const [code = ''] = codes.includes('UNAUTHENTICATED') ? ['UNAUTHENTICATED'] : codes;
  return ownValue(MEANING, code) ?? 'UPSTREAM_INVALID_RESPONSE';
}

function refusal(code: ErrorCode, { service }: Sender): CodedError {
  return new CodedError(code, MESSAGES[code] ?? 'The waste platform sent a response in an undocumented form.', {
    service,
  });
}

/** The viewer for one request, already loaded or to be loaded. */
export type ViewerLoaders = ReturnType<typeof createViewerLoaders>;

/** The loaders of one request, which has a single caller, so that equal requests share one call. */
export function createViewerLoaders(upstream: Upstream) {
  const viewer = createSingleLoader((withCompanies: boolean, operation) =>
    readViewer(upstream, withCompanies, operation),
  );
  return { viewer };
}
