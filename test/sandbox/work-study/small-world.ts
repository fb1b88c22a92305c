import type { Json, World } from '../../../sandbox/world/types.js';

/** The time of the service's clock in these tests: a Tuesday in September, 10:04 in Paris. */
export const NOW = Date.parse('2026-09-01T08:04:00Z');

/** SIRETs with a valid check digit. */
export const SIRETS = {
  dinum: '13002526500013',
  lycee: '19850144700025',
  closed: '26590673500120',
  free: '11000001500013',
  laPoste: '35600000000048',
};

function commune(insee: string, nom: string, more: Json = {}): Json {
  return {
    nom,
    code: { insee, postaux: [insee] },
    anciennes: [],
    arrondissements: [],
    departement: { nom: 'Département', codeInsee: insee.slice(0, 2) },
    region: { codeInsee: '11', nom: 'Île-de-France' },
    academie: { id: 'A01', code: '01', nom: 'Paris' },
    localisation: { centre: point(2.347, 48.8589), bbox: { type: 'Polygon', coordinates: [] } },
    mission_locale: null,
    ...more,
  };
}

const COMMUNES = [
  commune('75056', 'Paris', {
    code: { insee: '75056', postaux: ['75001', '75003'] },
    arrondissements: [{ code: '75120', nom: 'Paris 20e Arrondissement' }],
  }),
  commune('77002', 'Amillis', {
    code: { insee: '77002', postaux: ['77120'] },
    anciennes: [{ nom: 'Écuelles', codeInsee: '77166' }],
  }),
  // Its INSEE code is a postal code of Amillis.
  commune('77120', 'Autre-Ville', { code: { insee: '77120', postaux: ['77500'] } }),
  commune('2A004', 'Ajaccio', { code: { insee: '2A004', postaux: ['20000'] } }),
];

function point(longitude: number, latitude: number) {
  return { type: 'Point', coordinates: [longitude, latitude] };
}

interface OfferFields {
  readonly label?: string;
  readonly status?: string;
  readonly siret?: string | null;
  readonly at?: readonly [longitude: number, latitude: number];
  readonly address?: string;
  readonly opco?: string | null;
  readonly naf?: string | null;
  readonly romes?: readonly string[];
  readonly level?: string | null;
  readonly title?: string;
  readonly creation?: string | null;
  readonly expiration?: string | null;
  readonly brand?: string | null;
  readonly recipient?: boolean;
  readonly delegated?: boolean;
}

/** An offer of the world, whose id follows from `n`. */
export function offer(n: number, fields: OfferFields = {}): Json {
  const id = offerId(n);
  const level = fields.level === undefined ? null : fields.level;
  return {
    identifier: { id, partner_job_id: `job-${n}`, partner_label: fields.label ?? 'offres_emploi_lba' },
    workplace: workplace(fields),
    apply: {
      phone: null,
      url: `https://example.org/${id}`,
      recipient_id: fields.recipient === false ? null : `partners_${id}`,
    },
    contract: { start: null, duration: 12, type: ['Apprentissage'], remote: null },
    offer: {
      title: fields.title ?? 'Développeuse web',
      desired_skills: [],
      to_be_acquired_skills: [],
      access_conditions: [],
      opening_count: 1,
      publication: {
        creation:
          fields.creation === undefined ? `2026-08-01T00:00:00.${String(n % 1000).padStart(3, '0')}Z` : fields.creation,
        expiration: fields.expiration === undefined ? '2099-01-01T00:00:00.000Z' : fields.expiration,
      },
      rome_codes: fields.romes ?? ['M1805'],
      description: 'Une description assez longue pour passer.',
      target_diploma: level === null ? null : { european: level, label: 'Niveau' },
      status: fields.status ?? 'Active',
    },
    is_delegated: fields.delegated ?? false,
  };
}

export function offerId(n: number): string {
  return `ab${String(n).padStart(22, '0')}`;
}

export function recruiter(n: number, fields: OfferFields = {}): Json {
  return {
    identifier: { id: recruiterId(n) },
    workplace: workplace(fields),
    apply: { phone: null, recipient_id: `partners_${recruiterId(n)}`, url: 'https://example.org/r' },
  };
}

export function recruiterId(n: number): string {
  return `cd${String(n).padStart(22, '0')}`;
}

function workplace({ siret, at = [2.35, 48.85], address, opco, naf, brand }: OfferFields) {
  return {
    name: 'SOCIETE',
    description: null,
    website: null,
    siret: siret === undefined ? SIRETS.dinum : siret,
    location: { address: address ?? '20 AVENUE DE SEGUR 75007 PARIS', geopoint: point(...at) },
    brand: brand ?? null,
    legal_name: 'SOCIETE',
    size: '10-19',
    domain: { idcc: null, opco: opco ?? null, naf: naf == null ? null : { code: naf, label: null } },
  };
}

interface CertificationFields {
  readonly actif?: boolean;
  readonly romes?: readonly string[];
  readonly successor?: string;
  readonly levels?: { readonly cfd?: string; readonly rncp?: string };
}

/** A certification with what the service's rules look at. */
export function certification(cfd: string | null, rncp: string | null, fields: CertificationFields = {}): Json {
  const { actif = true, romes = ['M1805'], successor, levels } = fields;
  const later = successor === undefined ? [] : [{ code: successor, courant: false, actif: true }];
  return {
    identifiant: { cfd, rncp, rncp_anterieur_2019: null },
    intitule: { niveau: { cfd: { europeen: levels?.cfd ?? null }, rncp: { europeen: levels?.rncp ?? null } } },
    domaines: { rome: { rncp: romes.map((code) => ({ code, intitule: code })) } },
    periode_validite: { rncp: { actif } },
    continuite: { rncp: [{ code: rncp, courant: true, actif }, ...later] },
  };
}

export function organisme(siret: string, uai: string | null, ouvert = true): Json {
  return { identifiant: { siret, uai }, etablissement: { siret, ouvert }, statut: { referentiel: 'présent' } };
}

/** A world of these records and, by default, the four communes above. */
export function smallWorld(records: Partial<World> = {}): World {
  return {
    scale: 1,
    communes: COMMUNES,
    inventedBoxes: new Set(),
    departements: [{ nom: 'Paris', codeInsee: '75' }],
    missionsLocales: [{ id: 226, nom: 'DE PARIS' }],
    certifications: [],
    formations: [],
    organismes: [],
    offers: [],
    customNames: new Map(),
    recruiters: [],
    missions: [],
    organizations: [],
    publishers: [],
    wasteUsers: [],
    truth: new Map(),
    ...records,
  };
}
