import { buildSchema, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Json } from '../world/types.js';
import type { PlatformUser } from './platform.js';
import type { WasteSwitches } from './switches.js';

/** The caller, for the resolvers. */
export interface ResourceContext {
  readonly user: PlatformUser | undefined;
  /** A browser's session rather than a bearer token: some operations need it (waste-identity 5.5). */
  readonly bySession: boolean;
  readonly companyPages: WasteSwitches['companyPages'];
}

/** The part of the platform's schema that concerns identity (waste-identity 5.4). */
export const resourceSchema: GraphQLSchema = buildSchema(`
  scalar DateTime
  enum UserRole { ADMIN MEMBER DRIVER READER }
  enum CompanyVerificationStatus { VERIFIED TO_BE_VERIFIED LETTER_SENT STANDBY }

  type Query {
    me: User!
    myCompanies(first: Int, after: ID, last: Int, before: ID, search: String): CompanyPrivateConnection!
    isAuthenticated: Boolean!
  }

  type User {
    id: ID!
    email: String!
    name: String
    phone: String
    isAdmin: Boolean
    featureFlags: [String!]!
    trackingConsent: Boolean!
    trackingConsentUntil: DateTime
    totpEnabled: Boolean!
    companies: [CompanyPrivate!]! @deprecated(reason: "myCompanies is paginated")
  }

  type CompanyPrivateConnection {
    totalCount: Int!
    pageInfo: PageInfo!
    edges: [CompanyPrivateEdge!]!
  }

  type CompanyPrivateEdge { cursor: String!, node: CompanyPrivate! }

  type PageInfo { startCursor: String, endCursor: String, hasNextPage: Boolean!, hasPreviousPage: Boolean! }

  type CompanyPrivate {
    id: ID!
    orgId: String!
    siret: String
    vatNumber: String
    name: String
    givenName: String
    address: String
    naf: String
    libelleNaf: String
    companyTypes: [String!]!
    userRole: UserRole
    userPermissions: [String!]!
    verificationStatus: CompanyVerificationStatus!
    isDormantSince: DateTime
    securityCode: Int!
    users: [CompanyMember!]
  }

  type CompanyMember { id: ID!, email: String!, name: String, role: UserRole }
`);

/** Root resolvers: failed authentication is a resolver's error, never a status (waste-identity 5.2). */
export const resourceRoot = {
  me: (_: unknown, context: ResourceContext) => {
    const user = authenticated(context);
    return {
      ...USER_DEFAULTS,
      id: user.id,
      email: user.email,
      name: user.name,
      totpEnabled: user.totp !== undefined,
      companies: user.companies.map(company),
    };
  },
  myCompanies: (page: PageArguments, context: ResourceContext) => pageOfCompanies(page, context),
  // False for bearer tokens, valid or not: a trap of the platform's own (waste-identity 5.2).
  isAuthenticated: (_: unknown, { user, bySession }: ResourceContext) => user !== undefined && bySession,
};

const USER_DEFAULTS = {
  phone: null,
  isAdmin: false,
  featureFlags: [],
  trackingConsent: false,
  trackingConsentUntil: null,
};

interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  readonly search?: string | null;
}

const DEFAULT_PAGE = 50;
const MAX_PAGE_SIZE = 500;
/** Companies that are lost at the border of two pages (waste-identity 5.4). */
const SKIPPED = 10;

function pageOfCompanies(page: PageArguments, context: ResourceContext) {
  const all = authenticated(context).companies.map(company);
  if (page.search != null && !context.bySession) throw badInput('Le paramètre search est réservé à l’interface.');
  const size = page.first ?? page.last ?? DEFAULT_PAGE;
  if (size < 1 || size > MAX_PAGE_SIZE)
    throw badInput(`La taille de page doit être comprise entre 1 et ${MAX_PAGE_SIZE}.`);
  const backwards = page.first == null && page.last != null;
  const position = (cursor: string | null | undefined) => all.findIndex(({ id }) => id === cursor);
  const skipped = context.companyPages === 'skipping' ? SKIPPED : 0;
  const start = page.after == null || context.companyPages === 'repeating' ? 0 : position(page.after) + 1 + skipped;
  const end = page.before == null ? all.length : Math.max(0, position(page.before));
  const from = backwards ? Math.max(start, end - size) : start;
  const nodes = all.slice(from, backwards ? end : Math.min(end, start + size));
  return {
    totalCount: all.length,
    edges: nodes.map((node) => ({ cursor: node.id, node })),
    pageInfo: {
      startCursor: nodes[0]?.id ?? null,
      endCursor: nodes.at(-1)?.id ?? null,
      hasNextPage: from + nodes.length < all.length,
      hasPreviousPage: from > 0,
    },
  };
}

/** The world's company record, completed to what the schema promises. */
function company(record: Json) {
  const orgId = String(record['orgId'] ?? record['siret'] ?? record['vatNumber']);
  return {
    companyTypes: ['PRODUCER'],
    userRole: 'MEMBER',
    userPermissions: ['BSD_CAN_READ'],
    verificationStatus: 'VERIFIED',
    securityCode: 1000 + (Number(orgId.slice(-4)) % 9000 || 0),
    users: [],
    ...record,
    orgId,
    id: String(record['id'] ?? `company-${orgId}`),
  };
}

function authenticated({ user }: ResourceContext): PlatformUser {
  if (user !== undefined) return user;
  throw new GraphQLError("Vous n'êtes pas connecté.", { extensions: { code: 'UNAUTHENTICATED' } });
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}
