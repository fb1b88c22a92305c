import { isSiret } from '../../codes/registers.js';
import {
  boolean,
  code,
  id,
  integer,
  list,
  moment,
  neverNull,
  object,
  otherWord,
  required,
  shape,
  text,
  type View,
  vocabulary,
} from '../../rest/shape.js';

const VERIFICATION_STATUS = {
  VERIFIED: 'VERIFIED',
  TO_BE_VERIFIED: 'TO_BE_VERIFIED',
  LETTER_SENT: 'LETTER_SENT',
  STANDBY: 'STANDBY',
} as const;
const ROLE = { ADMIN: 'ADMIN', MEMBER: 'MEMBER', DRIVER: 'DRIVER', READER: 'READER' } as const;

/**
 * What is requested about a company. The platform has more, such as the code that signs waste slips, the user's rights
 * and their colleagues, none of which is ever requested (waste-identity 5.4).
 */
const companyShape = shape('CompanyPrivate', {
  siret: code(isSiret),
  orgId: text(),
  vatNumber: text(),
  name: text(),
  givenName: text(),
  address: text(),
  naf: text(),
  libelleNaf: text(),
  companyTypes: list(text()),
  verificationStatus: vocabulary(VERIFICATION_STATUS),
  verificationStatusRaw: otherWord(VERIFICATION_STATUS, 'verificationStatus'),
  role: vocabulary(ROLE, 'userRole'),
  roleRaw: otherWord(ROLE, 'userRole'),
  isDormantSince: moment(),
});

const userShape = shape('User', { id: required(id()), email: text(), name: text() });

/** One of the user's establishments; each field is checked when it is read. */
export type CompanyView = View<typeof companyShape>;

/** The user as the platform knows them. */
export type UserView = View<typeof userShape>;

const pageInfoShape = shape('PageInfo', { hasNextPage: boolean(), endCursor: text() });
const edgeShape = shape('CompanyPrivateEdge', { node: neverNull(object(companyShape)) });
const companiesShape = shape('CompanyPrivateConnection', {
  edges: required(list(object(edgeShape))),
  pageInfo: required(object(pageInfoShape)),
  totalCount: integer(),
});

/** One page of establishments. */
export type CompaniesView = View<typeof companiesShape>;

/** The `data` of the responses to the documents in `client.ts`. */
export const dataShape = shape('Data', { me: object(userShape), myCompanies: object(companiesShape) });

/** The `data` of a response without errors. */
export type ResponseData = View<typeof dataShape>;
