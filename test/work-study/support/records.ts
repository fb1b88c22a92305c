import type { Json } from '../../../sandbox/world/types.js';

/** Records in the shape of today's service, with every documented key (work-study 9). */

interface CommuneParts {
  readonly insee: string;
  readonly nom: string;
  readonly postaux: readonly string[];
  readonly centre: readonly [lon: number, lat: number];
  readonly anciennes?: readonly Json[];
  readonly arrondissements?: readonly Json[];
  readonly departement?: Json;
  readonly missionLocale?: Json | null;
}

export function commune(parts: CommuneParts): Json {
  const { insee, nom, postaux, centre } = parts;
  const [lon, lat] = centre;
  return {
    nom,
    code: { insee, postaux },
    anciennes: parts.anciennes ?? [],
    arrondissements: parts.arrondissements ?? [],
    departement: parts.departement ?? { nom: 'Seine-et-Marne', codeInsee: '77' },
    region: { codeInsee: '11', nom: 'Île-de-France' },
    academie: { id: 'A24', code: '24', nom: 'Créteil' },
    localisation: {
      centre: { type: 'Point', coordinates: [lon, lat] },
      bbox: { type: 'Polygon', coordinates: [boxRing(lon, lat)] },
    },
    mission_locale: parts.missionLocale ?? null,
  };
}

function boxRing(lon: number, lat: number): number[][] {
  const corners = [
    [-0.03, -0.03],
    [0.03, -0.03],
    [0.03, 0.03],
    [-0.03, 0.03],
    [-0.03, -0.03],
  ];
  return corners.map(([east = 0, north = 0]) => [lon + east, lat + north]);
}

export function missionLocale(parts: Partial<Json> = {}): Json {
  return {
    id: 226,
    code: '75119',
    nom: 'DE PARIS',
    siret: '53132862300149',
    localisation: {
      geopoint: { type: 'Point', coordinates: [2.3740736, 48.8848179] },
      adresse: '22 rue Pajol',
      cp: '75018',
      ville: 'PARIS',
    },
    contact: { email: 'contact@example.fr', telephone: '0179970000', siteWeb: 'https://missionlocale.example/' },
    ...parts,
  };
}

export function workplace(parts: Partial<Json> = {}): Json {
  return {
    name: 'Boulangerie du Pont',
    description: null,
    website: 'https://boulangerie.example/',
    siret: '13002526500013',
    location: {
      address: '20 AVENUE DE SEGUR 75007 PARIS',
      geopoint: { type: 'Point', coordinates: [2.308628, 48.850699] },
    },
    brand: null,
    legal_name: 'Boulangerie du Pont',
    size: '0-50',
    domain: { idcc: 1979, opco: 'OPCO 2i', naf: { code: '8411Z', label: 'Administration publique générale' } },
    ...parts,
  };
}

interface OfferParts {
  readonly id: string | null;
  readonly label?: string;
  readonly workplace?: Json;
  readonly contract?: Partial<Json>;
  readonly offer?: Partial<Json>;
}

export function offer({ id, label = 'offres_emploi_lba', ...parts }: OfferParts): Json {
  return {
    identifier: { id, partner_job_id: `job-${id}`, partner_label: label },
    workplace: parts.workplace ?? workplace(),
    apply: { phone: null, url: `https://postuler.example/${id}`, recipient_id: `partners_${id}` },
    contract: {
      start: '2026-09-23T10:00:00.000Z',
      duration: 12,
      type: ['Apprentissage'],
      remote: 'hybrid',
      ...parts.contract,
    },
    offer: {
      title: 'Développeur web',
      desired_skills: ['Travailler en équipe'],
      to_be_acquired_skills: [],
      access_conditions: [],
      opening_count: 1,
      publication: { creation: '2026-07-23T13:23:01.000Z', expiration: '2999-05-14T00:00:00.000Z' },
      rome_codes: ['M1805'],
      description: 'Conçoit et développe des applications.',
      target_diploma: { european: '4', label: 'Bac, Bac Pro, BP (Bac)' },
      status: 'Active',
      ...parts.offer,
    },
    is_delegated: false,
  };
}

export function recruiter(id: string, place: Json = workplace()): Json {
  return {
    identifier: { id },
    workplace: place,
    apply: { phone: null, url: `https://postuler.example/${id}`, recipient_id: `recruiters_${id}` },
  };
}

/** A store identifier: 24 hexadecimal characters. */
export function storeId(number: number): string {
  return number.toString(16).padStart(24, 'a');
}

export function certification(cfd: string | null, rncp: string | null): Json {
  const ofCfd = <T>(value: T): T | null => (cfd === null ? null : value);
  const ofRncp = <T>(value: T): T | null => (rncp === null ? null : value);
  return {
    identifiant: { cfd, rncp, rncp_anterieur_2019: ofRncp(false) },
    intitule: {
      cfd: ofCfd({ long: 'CONSEILLER DE VENTE (TP)', court: 'CONSEILLER DE VENTE' }),
      niveau: {
        cfd: ofCfd({
          europeen: '4',
          formation_diplome: cfd?.slice(0, 3),
          interministeriel: '4',
          libelle: null,
          sigle: 'TH4-T',
        }),
        rncp: ofRncp({ europeen: '4' }),
      },
      rncp: ofRncp('Conseiller de vente'),
    },
    base_legale: { cfd: ofCfd({ creation: null, abrogation: '2028-07-25T23:59:59.000+02:00' }) },
    blocs_competences: { rncp: ofRncp([{ code: `${rncp}BC01`, intitule: 'Animer une unité marchande' }]) },
    convention_collectives: { rncp: ofRncp([{ numero: '1979', intitule: 'Hôtels, cafés, restaurants' }]) },
    domaines: {
      formacodes: { rncp: ofRncp([{ code: '34502', intitule: '34502 : Vente spécialisée' }]) },
      nsf: {
        cfd: ofCfd({ code: '312', intitule: 'COMMERCE, VENTE' }),
        rncp: ofRncp([{ code: '312m', intitule: '312m : Commerce, vente' }]),
      },
      rome: { rncp: ofRncp([{ code: 'M1805', intitule: 'Études et développement informatique' }]) },
    },
    periode_validite: {
      debut: null,
      fin: '2028-01-25T23:59:59.000+01:00',
      cfd: ofCfd({
        ouverture: '2014-09-01T00:00:00.000+02:00',
        fermeture: null,
        premiere_session: 2015,
        derniere_session: null,
      }),
      rncp: ofRncp({
        actif: true,
        activation: '2022-11-16T00:00:00.000+01:00',
        debut_parcours: null,
        fin_enregistrement: '2028-01-25T23:59:59.000+01:00',
      }),
    },
    type: {
      nature: { cfd: ofCfd({ code: '2', libelle: 'TITRE PROFESSIONNEL' }) },
      gestionnaire_diplome: ofCfd('DEPPA1'),
      enregistrement_rncp: ofRncp('Enregistrement de droit'),
      voie_acces: {
        rncp: ofRncp({
          apprentissage: true,
          experience: true,
          candidature_individuelle: false,
          contrat_professionnalisation: true,
          formation_continue: true,
          formation_statut_eleve: false,
        }),
      },
      certificateurs_rncp: ofRncp([{ siret: '11000007200014', nom: 'MINISTERE DU TRAVAIL' }]),
    },
    continuite: {
      cfd: ofCfd([{ ouverture: '2014-09-01T00:00:00.000+02:00', fermeture: null, code: cfd, courant: true }]),
      rncp: ofRncp([
        {
          activation: null,
          fin_enregistrement: '2028-01-25T23:59:59.000+01:00',
          code: rncp,
          courant: true,
          actif: true,
        },
      ]),
    },
  };
}

function adresse(codeInsee: string): Json {
  return {
    label: '1 rue de la Paix',
    code_postal: '75002',
    commune: { nom: 'Quelque part', code_insee: codeInsee },
    departement: { nom: 'Paris', code_insee: '75' },
    region: { code_insee: '11', nom: 'Île-de-France' },
    academie: { id: 'A01', code: '01', nom: 'Paris' },
  };
}

export function organisme(uai: string | null, siret: string, codeInsee = '75056'): Json {
  return {
    identifiant: { uai, siret },
    etablissement: {
      siret,
      ouvert: true,
      enseigne: null,
      adresse: adresse(codeInsee),
      geopoint: { type: 'Point', coordinates: [2.347, 48.8588] },
      creation: '1970-01-05T20:22:01.200+01:00',
      fermeture: null,
    },
    unite_legale: {
      siren: siret.slice(0, 9),
      actif: true,
      raison_sociale: 'LYCEE DES METIERS',
      creation: '1969-12-30T08:03:18.000+01:00',
      cessation: null,
    },
    renseignements_specifiques: { qualiopi: true, numero_activite: '5335P000935' },
    statut: { referentiel: 'présent' },
    contacts: [{ email: 'cfa@example.fr', sources: ['catalogue'], confirmation_referentiel: false }],
  };
}

interface FormationParts {
  readonly rncp?: string;
  readonly statut?: string;
  readonly codeInsee?: string;
  readonly position?: readonly [lon: number, lat: number];
}

export function formation(key: string, parts: FormationParts = {}): Json {
  const { rncp = 'RNCP37098', statut = 'publié', codeInsee = '75056', position = [2.347, 48.8588] } = parts;
  const centre = { organisme: organisme('0352660B', '19350030300014'), connu: true };
  return {
    identifiant: { cle_ministere_educatif: key },
    statut: { catalogue: statut },
    formateur: centre,
    responsable: centre,
    certification: { valeur: certification('46T31203', rncp), connue: true },
    lieu: {
      adresse: adresse(codeInsee),
      geolocalisation: { type: 'Point', coordinates: position },
      precision: 15,
      siret: null,
      uai: null,
    },
    contact: { email: 'contact@example.fr', telephone: null },
    onisep: {
      url: null,
      intitule: null,
      libelle_poursuite: null,
      lien_site_onisepfr: null,
      discipline: null,
      domaine_sousdomaine: null,
    },
    modalite: { entierement_a_distance: false, duree_indicative: 1, annee_cycle: null, mef_10: null },
    contenu_educatif: { contenu: 'Contenu', objectif: 'Apprendre' },
    sessions: [{ debut: '2026-09-01T02:00:00.000+02:00', fin: '2027-08-31T02:00:00.000+02:00', capacite: 10 }],
  };
}
