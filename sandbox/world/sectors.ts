/** Branch of an employer: what it is called, codified and insured by. */
export interface Sector {
  readonly naf: { readonly code: string; readonly label: string };
  /** A label of work-study 8.3. */
  readonly opco: string;
  readonly idcc: number;
  /** Words that companies of the branch are named with; empty for associations, which have names of their own. */
  readonly words: readonly string[];
}

const sector = (code: string, label: string, opco: string, idcc: number, words: string): Sector => ({
  naf: { code, label },
  opco,
  idcc,
  words: words === '' ? [] : words.split(', '),
});

const proximite = 'Opco entreprises de proximité';
const akto = "AKTO / Opco entreprises et salariés des services à forte intensité de main d'oeuvre";
const cohesion = "Uniformation, l'Opco de la Cohésion sociale";

export const bakery = sector(
  '1071C',
  'Boulangerie et boulangerie-pâtisserie',
  proximite,
  843,
  'Fournil, Boulangerie, Moulin',
);
export const meat = sector('4722Z', 'Commerce de détail de viandes', proximite, 992, 'Boucherie, Maison');
export const hair = sector('9602A', 'Coiffure', proximite, 2596, 'Coiffure, Salon, Atelier');
export const pharmacy = sector('4773Z', 'Commerce de détail de produits pharmaceutiques', proximite, 1996, 'Pharmacie');
export const shop = sector(
  '4771Z',
  "Commerce de détail d'habillement",
  "L'Opcommerce",
  1483,
  'Boutique, Comptoir, Magasin',
);
export const market = sector('4711D', 'Supermarchés', "L'Opcommerce", 2216, 'Marché, Halle, Épicerie');
export const restaurant = sector(
  '5610A',
  'Restauration traditionnelle',
  akto,
  1979,
  'Auberge, Table, Brasserie, Bistrot',
);
export const hotel = sector('5510Z', 'Hôtels et hébergement similaire', akto, 1979, 'Hôtel, Relais');
export const builder = sector(
  '4399C',
  'Travaux de maçonnerie générale',
  'Constructys',
  1597,
  'Bâtisseurs, Maçonnerie, Toitures',
);
export const electrician = sector(
  '4321A',
  "Travaux d'installation électrique",
  'Constructys',
  1597,
  'Électricité, Énergies',
);
export const plumber = sector(
  '4322A',
  "Travaux d'installation d'eau et de gaz",
  'Constructys',
  1597,
  'Chauffage, Thermique',
);
export const garden = sector(
  '8130Z',
  "Services d'aménagement paysager",
  'OCAPIAT',
  7018,
  'Jardins, Paysages, Pépinières',
);
export const farm = sector('0150Z', 'Culture et élevage associés', 'OCAPIAT', 7024, 'Ferme, Vergers, Domaine');
export const garage = sector(
  '4520A',
  'Entretien et réparation de véhicules',
  'Opco Mobilités',
  1090,
  'Garage, Mécanique',
);
export const carrier = sector(
  '4941B',
  'Transports routiers de fret de proximité',
  'Opco Mobilités',
  16,
  'Transports, Messagerie',
);
export const metal = sector('2562B', 'Mécanique industrielle', 'OPCO 2i', 3248, 'Mécanique, Ateliers, Soudure');
export const waste = sector('3832Z', 'Récupération de déchets triés', akto, 637, 'Recyclage, Tri, Valorisation');
export const software = sector('6201Z', 'Programmation informatique', 'ATLAS', 1486, 'Logiciels, Numérique, Données');
export const accountant = sector('6920Z', 'Activités comptables', 'ATLAS', 787, 'Cabinet, Comptabilité, Fiduciaire');
export const insurance = sector(
  '6622Z',
  "Activités des agents et courtiers d'assurances",
  'ATLAS',
  2247,
  'Assurances, Courtage',
);
export const media = sector('7311Z', 'Activités des agences de publicité', 'AFDAS', 86, 'Agence, Studio, Médias');
export const care = sector(
  '8710A',
  'Hébergement médicalisé pour personnes âgées',
  'Opco Santé',
  2264,
  'Résidence, Clinique',
);

export const social = sector('8899B', 'Action sociale sans hébergement n.c.a.', cohesion, 2941, '');
export const homeCare = sector('8810A', 'Aide à domicile', cohesion, 2941, '');
export const youth = sector('8891A', 'Accueil de jeunes enfants', cohesion, 1518, '');
export const club = sector('9312Z', 'Activités de clubs de sports', 'AFDAS', 2511, '');
export const culture = sector('9499Z', 'Autres organisations fonctionnant par adhésion volontaire', cohesion, 1518, '');
