import type { Json, Publisher, World } from '../../../sandbox/world/types.js';

export const PUBLISHERS = [
  publisher('5f5931496c7ea514150a818f', 'Je Participe'),
  publisher('65f07ba338b232a6341ed1e2', 'Réserve'),
  publisher('60a1b2c3d4e5f6789abc0001', 'Place des assos'),
] as const;

/** An address of today's service around a point. */
export function address(place: Json = {}): Json {
  const { lat = 48.8541, lon = 2.3643, ...rest } = place;
  const known = typeof lat === 'number' && typeof lon === 'number';
  return {
    id: 'a1',
    street: '46 Rue Saint-Antoine',
    postalCode: '75004',
    departmentName: 'Paris',
    departmentCode: '75',
    city: 'Paris',
    region: 'Île-de-France',
    country: 'FR',
    location: known ? { lat, lon } : null,
    geoPoint: known ? { type: 'Point', coordinates: [lon, lat] } : null,
    geolocStatus: 'ENRICHED_BY_PUBLISHER',
    ...rest,
  };
}

/** A mission with every key of today's serializer (volunteering 4.1); flat fields are copied from the first address. */
export function mission(id: string, fields: Json = {}): Json {
  const addresses = Array.isArray(fields['addresses']) ? fields['addresses'] : [address()];
  return { ...FULL_MISSION, _id: id, id, clientId: `client-${id}`, addresses, ...flat(addresses[0]), ...fields };
}

/** An organization with every column of today's table (volunteering 4.4). */
export function organization(id: string, fields: Json = {}): Json {
  const title = String(fields['title'] ?? 'ASSOCIATION EXEMPLE');
  const searchText = [title, fields['rna'], fields['siret'], fields['siren']].filter(Boolean).join(' ').toLowerCase();
  return { ...FULL_ORGANIZATION, title, searchText, _id: id, ...fields };
}

export function world(records: { missions?: Json[]; organizations?: Json[] }): World {
  return {
    scale: 1,
    communes: [],
    departements: [{ nom: 'Paris', codeInsee: '75' }],
    missionsLocales: [{ id: 226, nom: 'DE PARIS' }],
    certifications: [],
    formations: [],
    organismes: [],
    offers: [],
    recruiters: [],
    wasteUsers: [],
    truth: new Map(),
    inventedBoxes: new Set(),
    customNames: new Map(),
    publishers: PUBLISHERS,
    missions: records.missions ?? [],
    organizations: records.organizations ?? [],
  };
}

function publisher(id: string, name: string): Publisher {
  return { id, name, url: 'https://publisher.example.org', logo: 'https://cdn.example.org/publisher.png' };
}

function flat(first: Json | undefined): Json {
  if (first === undefined) return {};
  const { street, city, postalCode, departmentCode, departmentName, country, location } = first;
  return { address: street, city, postalCode, departmentCode, departmentName, country, location };
}

const FULL_MISSION: Json = {
  audience: ['Tous publics'],
  compensationAmount: null,
  compensationUnit: null,
  compensationType: null,
  closeToTransport: true,
  createdAt: '2026-04-15T07:00:12.401Z',
  deletedAt: null,
  description: 'Aider aux ateliers.',
  descriptionHtml: '<p>Aider aux ateliers.</p>',
  domain: 'environnement',
  domainLogo: 'https://cdn.example.org/1.jpg',
  duration: 10,
  endAt: null,
  lastSyncAt: '2026-08-18T04:15:03.120Z',
  metadata: '',
  openToMinors: 'yes',
  organizationActions: [],
  organizationBeneficiaries: [],
  organizationCity: 'Paris',
  organizationClientId: '1685',
  organizationDescription: '',
  organizationFullAddress: null,
  organizationId: '68f0b6f2c1a7d90011aa22bb',
  organizationLogo: null,
  organizationName: 'Mon asso',
  organizationPostCode: '75008',
  organizationRNA: 'W922000733',
  organizationReseaux: ['Réseau'],
  organizationSiren: '332737394',
  organizationStatusJuridique: 'Association',
  organizationType: '1901',
  organizationUrl: 'https://asso.example.org',
  postedAt: '2023-01-01T00:00:00.000Z',
  priority: 'haute',
  publisherId: PUBLISHERS[0].id,
  publisherName: PUBLISHERS[0].name,
  publisherUrl: 'https://publisher.example.org',
  publisherLogo: 'https://cdn.example.org/publisher.png',
  reducedMobilityAccessible: 'no',
  remote: 'no',
  requirements: [],
  romeSkills: [],
  schedule: '',
  snu: false,
  snuPlaces: null,
  soft_skills: ['écoute'],
  softSkills: ['écoute'],
  startAt: '2025-01-01T00:00:00.000Z',
  statusCode: 'ACCEPTED',
  statusComment: null,
  tags: [],
  tasks: [],
  title: 'Titre de la mission',
  type: 'benevolat',
  places: 2,
  updatedAt: '2026-08-18T04:15:03.120Z',
  activity: 'Logistique',
  applicationUrl: 'https://partner.example.org/1',
  deleted: false,
  statusCommentHistoric: [],
};

const FULL_ORGANIZATION: Json = {
  rna: null,
  siren: null,
  siret: null,
  sirets: [],
  rupMi: null,
  gestion: '691P',
  status: 'ACTIVE',
  createdAt: '2004-02-19T00:00:00.000Z',
  lastDeclaredAt: null,
  publishedAt: null,
  dissolvedAt: null,
  updatedAt: '2016-12-15T13:07:21.000Z',
  nature: 'D',
  groupement: 'SIMPLE',
  names: ['association-exemple'],
  shortTitle: null,
  titleSlug: 'association-exemple',
  shortTitleSlug: null,
  object: 'chant choral',
  socialObject1: '006100',
  socialObject2: null,
  addressComplement: null,
  addressNumber: null,
  addressRepetition: null,
  addressType: null,
  addressStreet: null,
  addressDistribution: null,
  addressInseeCode: '69110',
  addressPostalCode: '69590',
  addressDepartmentCode: '69',
  addressDepartmentName: 'Rhône',
  addressRegion: 'Auvergne-Rhône-Alpes',
  addressCity: 'Larajasse',
  managementDeclarant: null,
  managementComplement: null,
  managementStreet: null,
  managementDistribution: null,
  managementPostalCode: null,
  managementCity: null,
  managementCountry: 'FRANCE',
  directorCivility: 'PF',
  website: null,
  observation: null,
  syncAt: '2026-08-02T00:11:42.517Z',
  source: null,
  isRUP: false,
  letudiantPublicId: null,
  letudiantUpdatedAt: null,
  lastExportedToPgAt: null,
};
