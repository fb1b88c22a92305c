/** Branch of an employer: what it is called, codified and insured by. */
export interface Sector {
  readonly naf: { readonly code: string; readonly label: string };
  /** A label of work-study 8.3. */
  readonly opco: string;
  readonly idcc: number;
  /** Words that companies of the branch are named with; empty for associations, which have names of their own. */
  readonly words: readonly string[];
}

const sector = (naf: Sector['naf'], opco: string, idcc: number, words: string): Sector => ({
  naf,
  opco,
  idcc,
  words: words === '' ? [] : words.split(', '),
});

const proximite = 'Opco entreprises de proximité';
const akto = "AKTO / Opco entreprises et salariés des services à forte intensité de main d'oeuvre";
const cohesion = "Uniformation, l'Opco de la Cohésion sociale";

export const bakery = sector(
  { code: '1071C', label: 'Boulangerie et boulangerie-pâtisserie' },
  proximite,
  843,
  'Fournil, Boulangerie, Moulin',
);
export const meat = sector(
  { code: '4722Z', label: 'Commerce de détail de viandes' },
  proximite,
  992,
  'Boucherie, Maison',
);
export const hair = sector({ code: '9602A', label: 'Coiffure' }, proximite, 2596, 'Coiffure, Salon, Atelier');
export const pharmacy = sector(
  { code: '4773Z', label: 'Commerce de détail de produits pharmaceutiques' },
  proximite,
  1996,
  'Pharmacie',
);
export const shop = sector(
  { code: '4771Z', label: "Commerce de détail d'habillement" },
  "L'Opcommerce",
  1483,
  'Boutique, Comptoir, Magasin',
);
export const market = sector({ code: '4711D', label: 'Supermarchés' }, "L'Opcommerce", 2216, 'Marché, Halle, Épicerie');
export const restaurant = sector(
  { code: '5610A', label: 'Restauration traditionnelle' },
  akto,
  1979,
  'Auberge, Table, Brasserie, Bistrot',
);
export const hotel = sector({ code: '5510Z', label: 'Hôtels et hébergement similaire' }, akto, 1979, 'Hôtel, Relais');
export const builder = sector(
  { code: '4399C', label: 'Travaux de maçonnerie générale' },
  'Constructys',
  1597,
  'Bâtisseurs, Maçonnerie, Toitures',
);
export const electrician = sector(
  { code: '4321A', label: "Travaux d'installation électrique" },
  'Constructys',
  1597,
  'Électricité, Énergies',
);
export const plumber = sector(
  { code: '4322A', label: "Travaux d'installation d'eau et de gaz" },
  'Constructys',
  1597,
  'Chauffage, Thermique',
);
export const garden = sector(
  { code: '8130Z', label: "Services d'aménagement paysager" },
  'OCAPIAT',
  7018,
  'Jardins, Paysages, Pépinières',
);
export const farm = sector(
  { code: '0150Z', label: 'Culture et élevage associés' },
  'OCAPIAT',
  7024,
  'Ferme, Vergers, Domaine',
);
export const garage = sector(
  { code: '4520A', label: 'Entretien et réparation de véhicules' },
  'Opco Mobilités',
  1090,
  'Garage, Mécanique',
);
export const carrier = sector(
  { code: '4941B', label: 'Transports routiers de fret de proximité' },
  'Opco Mobilités',
  16,
  'Transports, Messagerie',
);
export const metal = sector(
  { code: '2562B', label: 'Mécanique industrielle' },
  'OPCO 2i',
  3248,
  'Mécanique, Ateliers, Soudure',
);
export const waste = sector(
  { code: '3832Z', label: 'Récupération de déchets triés' },
  akto,
  637,
  'Recyclage, Tri, Valorisation',
);
export const software = sector(
  { code: '6201Z', label: 'Programmation informatique' },
  'ATLAS',
  1486,
  'Logiciels, Numérique, Données',
);
export const accountant = sector(
  { code: '6920Z', label: 'Activités comptables' },
  'ATLAS',
  787,
  'Cabinet, Comptabilité, Fiduciaire',
);
export const insurance = sector(
  { code: '6622Z', label: "Activités des agents et courtiers d'assurances" },
  'ATLAS',
  2247,
  'Assurances, Courtage',
);
export const media = sector(
  { code: '7311Z', label: 'Activités des agences de publicité' },
  'AFDAS',
  86,
  'Agence, Studio, Médias',
);
export const care = sector(
  { code: '8710A', label: 'Hébergement médicalisé pour personnes âgées' },
  'Opco Santé',
  2264,
  'Résidence, Clinique',
);

export const social = sector({ code: '8899B', label: 'Action sociale sans hébergement n.c.a.' }, cohesion, 2941, '');
export const homeCare = sector({ code: '8810A', label: 'Aide à domicile' }, cohesion, 2941, '');
export const youth = sector({ code: '8891A', label: 'Accueil de jeunes enfants' }, cohesion, 1518, '');
export const club = sector({ code: '9312Z', label: 'Activités de clubs de sports' }, 'AFDAS', 2511, '');
export const culture = sector(
  { code: '9499Z', label: 'Autres organisations fonctionnant par adhésion volontaire' },
  cohesion,
  1518,
  '',
);
