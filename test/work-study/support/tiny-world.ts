import type { Json, World } from '../../../sandbox/world/types.js';
import {
  certification,
  commune,
  formation,
  missionLocale,
  offer,
  organisme,
  recruiter,
  storeId,
  workplace,
} from './records.js';

const corseDuSud: Json = { nom: 'Corse-du-Sud', codeInsee: '2A' };

/** A few communes, each for one rule of the commune search (work-study 7.14). */
const communes: Json[] = [
  commune({
    insee: '75056',
    nom: 'Paris',
    postaux: ['75001', '75003', '75007', '75020'],
    centre: [2.347, 48.8588],
    arrondissements: [{ code: '75120', nom: 'Paris 20e Arrondissement' }],
    departement: { nom: 'Paris', codeInsee: '75' },
    missionLocale: missionLocale(),
  }),
  commune({ insee: '94003', nom: 'Arcueil', postaux: ['94110'], centre: [2.3353, 48.8058] }),
  // The code of a commune that was merged into this one is also the postal code of the next.
  commune({
    insee: '77002',
    nom: 'Amillis',
    postaux: ['77120'],
    centre: [3.14, 48.7327],
    anciennes: [{ nom: 'Écuelles', codeInsee: '77166' }],
  }),
  commune({ insee: '77217', nom: 'Grisy-Suisnes', postaux: ['77166'], centre: [2.6669, 48.6853] }),
  commune({ insee: '77433', nom: 'Beautheil-Saints', postaux: ['77120'], centre: [3.1081, 48.7481] }),
  commune({ insee: '01033', nom: 'Valserhône', postaux: ['01200'], centre: [5.8084, 46.1113] }),
  commune({ insee: '01342', nom: 'Sainte-Croix', postaux: ['01120'], centre: [5.0489, 45.8943] }),
  commune({
    insee: '2A004',
    nom: 'Ajaccio',
    postaux: ['20000', '20090', '20167'],
    centre: [8.7024, 41.9333],
    departement: corseDuSud,
  }),
  commune({ insee: '2A001', nom: 'Afa', postaux: ['20167'], centre: [8.7995, 41.9938], departement: corseDuSud }),
  commune({ insee: '2A006', nom: 'Alata', postaux: ['20167'], centre: [8.7426, 41.9746], departement: corseDuSud }),
];

/** SIRETs with a valid check digit. */
export const SIRETS = {
  bakery: '13002526500013',
  school: '19350030300014',
  nobody: '53132862300149',
  ministry: '11000007200014',
} as const;

const TINY_WORLD: World = {
  scale: 1,
  communes,
  departements: [
    {
      nom: 'Paris',
      codeInsee: '75',
      region: { codeInsee: '11', nom: 'Île-de-France' },
      academie: { id: 'A01', code: '01', nom: 'Paris' },
    },
    {
      nom: 'Corse-du-Sud',
      codeInsee: '2A',
      region: { codeInsee: '94', nom: 'Corse' },
      academie: { id: 'A27', code: '27', nom: 'Corse' },
    },
  ],
  missionsLocales: [
    missionLocale(),
    missionLocale({
      id: 374,
      nom: 'DE LA SEINE ET DU LOING',
      siret: '0000001',
      localisation: { geopoint: null, adresse: '17 Rue des Tanneurs', cp: '77140', ville: 'NEMOURS' },
      contact: { email: null, telephone: null, siteWeb: null },
    }),
  ],
  certifications: [
    certification('46T31203', 'RNCP37098'),
    certification('46T31204', 'RNCP37098'),
    certification(null, 'RNCP500'),
    certification('01321401', null),
  ],
  formations: [
    formation('049510P01118838776490001178615112600012-49099#L01'),
    formation('key-2#L01', { position: [2.36, 48.86] }),
    formation('key-3#L01', { position: [2.4, 48.87], rncp: 'RNCP500' }),
    formation('archived#L01', { statut: 'archivé' }),
    formation('gone#L01', { statut: 'supprimé', codeInsee: '99999' }),
  ],
  organismes: [
    organisme('0352660B', SIRETS.school),
    organisme(null, SIRETS.ministry, '2A001'),
    organisme('0491801S', SIRETS.nobody),
  ],
  offers: [
    offer({ id: storeId(1) }),
    offer({ id: storeId(2), label: 'France Travail' }),
    offer({ id: storeId(3), label: 'Hellowork', workplace: workplace({ name: 'Fournil Hellowork' }) }),
    offer({ id: storeId(4), workplace: workplace({ siret: SIRETS.school, location: far() }) }),
    offer({ id: storeId(5), offer: { status: 'Filled' } }),
  ],
  recruiters: [
    recruiter(storeId(20), workplace({ name: 'Boulangerie sans offre', legal_name: 'Boulangerie sans offre' })),
    recruiter(storeId(21), workplace({ siret: null })),
  ],
  inventedBoxes: new Set(),
  customNames: new Map(),
  missions: [],
  organizations: [],
  publishers: [],
  wasteUsers: [],
  truth: new Map(),
};

function far(): Json {
  return { address: '1 place du Marché 20167 AFA', geopoint: { type: 'Point', coordinates: [8.7995, 41.9938] } };
}

/** The tiny world, with some parts replaced. */
export function tinyWorld(parts: Partial<World> = {}): World {
  return { ...TINY_WORLD, ...parts };
}
