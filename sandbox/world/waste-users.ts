import { addressOf, type Employer } from './employers.js';
import type { SiretMaker } from './identifiers.js';
import type { Organization } from './organizations.js';
import { at, type Random } from './random.js';
import type { Json, WasteUser } from './types.js';

/** The inputs of users of the waste platform. */
export interface WasteUserOptions {
  readonly organizations: readonly Organization[];
  readonly employers: readonly Employer[];
  readonly sirets: SiretMaker;
  readonly random: Random;
}

/** The inputs of one company of a user. */
interface CompanyPlan {
  readonly siret: string | null;
  readonly name: string;
  readonly address: string;
}

/**
 * Creates users of the waste platform. The first, whose token newcomers use, belongs to a company of every kind: an
 * organization that employs people, one that does not, a company with offers, one that no other source knows, and a
 * foreign one.
 */
export function createWasteUsers({ organizations, employers, sirets, random }: WasteUserOptions): WasteUser[] {
  const employing = new Set(employers.map(({ siret }) => siret));
  const ofOrganization = (isEmployer: boolean): CompanyPlan => {
    const choices = organizations.filter(({ siret }) => siret !== null && employing.has(siret) === isEmployer);
    const { siret, title, place } = random.pick(choices);
    return { siret, name: title, address: `${place.postaux[0] ?? ''} ${place.nom}`.trim() };
  };
  const associations = new Set(organizations.flatMap(({ sirets: all }) => all));
  const ofEmployer = (): CompanyPlan => {
    const employer = random.pick(employers.filter(({ siret }) => !associations.has(siret)));
    return { siret: employer.siret, name: employer.legalName, address: addressOf(employer) };
  };
  const unknown = {
    siret: sirets.siretOf(sirets.siren()),
    name: 'DÉCHETTERIE DU PORT',
    address: '3 Quai du Port 76600 Le Havre',
  };
  const foreign = { siret: null, name: 'Recyclage Ardennes SPRL', address: 'Rue du Pont 4, 5000 Namur' };
  const plans = [
    [ofOrganization(true), ofOrganization(false), ofEmployer(), unknown, foreign],
    [ofEmployer()],
    [ofOrganization(true), ofEmployer()],
    [],
  ];
  return plans.map((companies, index) => ({
    id: `cksandbox${String(index + 1).padStart(16, '0')}`,
    ...at(people, index),
    password: 'sandbox-mot-de-passe',
    companies: companies.map((plan, i) => createCompany(plan, { place: i, random })),
  }));
}

const people = [
  { email: 'camille.martin@example.org', name: 'Camille Martin' },
  { email: 'sacha.bernard@example.org', name: 'Sacha Bernard' },
  { email: 'noa.petit@example.org', name: 'Noa Petit' },
  { email: 'charlie.durand@example.org', name: 'Charlie Durand' },
];

/** Fields of CompanyPrivate; a foreign company has a VAT number in place of a SIRET (waste-identity 5.4). */
function createCompany(
  { siret, name, address }: CompanyPlan,
  { place, random }: { place: number; random: Random },
): Json {
  const isFirst = place === 0;
  const vatNumber = siret === null ? 'BE0541696005' : null;
  return {
    id: `cl${random.hex(23)}`,
    orgId: siret ?? vatNumber,
    siret,
    vatNumber,
    name,
    givenName: null,
    address,
    naf: '3832Z',
    libelleNaf: 'Récupération de déchets triés',
    companyTypes: ['PRODUCER'],
    userRole: at(['ADMIN', 'MEMBER', 'DRIVER', 'READER'], place % 4),
    userPermissions: isFirst ? ['BSD_CAN_READ', 'COMPANY_CAN_MANAGE_MEMBERS'] : ['BSD_CAN_READ'],
    verificationStatus: at(['VERIFIED', 'TO_BE_VERIFIED', 'LETTER_SENT', 'STANDBY'], place % 4),
    isDormantSince: place === 3 ? '2025-03-01T09:30:00.000Z' : null,
    // A secret that must never leave the platform: it is here so that a leak would show.
    securityCode: 1000 + random.int(9000),
    users: [],
  };
}
