/** Industry of an employer: its NAF code, OPCO and collective agreement. */
export interface Sector {
  readonly naf: { readonly code: string; readonly label: string };
  /** A label of work-study 8.3. */
  readonly opco: string;
  readonly idcc: number;
  /** Words for names of companies in the industry; empty for those of associations, which have names of their own. */
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

/** All industries of the world's employers. */
export const sectors = {
  bakery: sector(
    { code: '1071C', label: 'Boulangerie et boulangerie-pâtisserie' },
    proximite,
    843,
    'Fournil, Boulangerie, Moulin',
  ),
  meat: sector({ code: '4722Z', label: 'Commerce de détail de viandes' }, proximite, 992, 'Boucherie, Maison'),
  hair: sector({ code: '9602A', label: 'Coiffure' }, proximite, 2596, 'Coiffure, Salon, Atelier'),
  pharmacy: sector(
    { code: '4773Z', label: 'Commerce de détail de produits pharmaceutiques' },
    proximite,
    1996,
    'Pharmacie',
  ),
  shop: sector(
    { code: '4771Z', label: "Commerce de détail d'habillement" },
    "L'Opcommerce",
    1483,
    'Boutique, Comptoir, Magasin',
  ),
  market: sector({ code: '4711D', label: 'Supermarchés' }, "L'Opcommerce", 2216, 'Marché, Halle, Épicerie'),
  restaurant: sector(
    { code: '5610A', label: 'Restauration traditionnelle' },
    akto,
    1979,
    'Auberge, Table, Brasserie, Bistrot',
  ),
  hotel: sector({ code: '5510Z', label: 'Hôtels et hébergement similaire' }, akto, 1979, 'Hôtel, Relais'),
  builder: sector(
    { code: '4399C', label: 'Travaux de maçonnerie générale' },
    'Constructys',
    1597,
    'Bâtisseurs, Maçonnerie, Toitures',
  ),
  electrician: sector(
    { code: '4321A', label: "Travaux d'installation électrique" },
    'Constructys',
    1597,
    'Électricité, Énergies',
  ),
  plumber: sector(
    { code: '4322A', label: "Travaux d'installation d'eau et de gaz" },
    'Constructys',
    1597,
    'Chauffage, Thermique',
  ),
  garden: sector(
    { code: '8130Z', label: "Services d'aménagement paysager" },
    'OCAPIAT',
    7018,
    'Jardins, Paysages, Pépinières',
  ),
  farm: sector({ code: '0150Z', label: 'Culture et élevage associés' }, 'OCAPIAT', 7024, 'Ferme, Vergers, Domaine'),
  garage: sector(
    { code: '4520A', label: 'Entretien et réparation de véhicules' },
    'Opco Mobilités',
    1090,
    'Garage, Mécanique',
  ),
  carrier: sector(
    { code: '4941B', label: 'Transports routiers de fret de proximité' },
    'Opco Mobilités',
    16,
    'Transports, Messagerie',
  ),
  metal: sector({ code: '2562B', label: 'Mécanique industrielle' }, 'OPCO 2i', 3248, 'Mécanique, Ateliers, Soudure'),
  waste: sector({ code: '3832Z', label: 'Récupération de déchets triés' }, akto, 637, 'Recyclage, Tri, Valorisation'),
  software: sector(
    { code: '6201Z', label: 'Programmation informatique' },
    'ATLAS',
    1486,
    'Logiciels, Numérique, Données',
  ),
  accountant: sector(
    { code: '6920Z', label: 'Activités comptables' },
    'ATLAS',
    787,
    'Cabinet, Comptabilité, Fiduciaire',
  ),
  insurance: sector(
    { code: '6622Z', label: "Activités des agents et courtiers d'assurances" },
    'ATLAS',
    2247,
    'Assurances, Courtage',
  ),
  media: sector({ code: '7311Z', label: 'Activités des agences de publicité' }, 'AFDAS', 86, 'Agence, Studio, Médias'),
  care: sector(
    { code: '8710A', label: 'Hébergement médicalisé pour personnes âgées' },
    'Opco Santé',
    2264,
    'Résidence, Clinique',
  ),
  social: sector({ code: '8899B', label: 'Action sociale sans hébergement n.c.a.' }, cohesion, 2941, ''),
  homeCare: sector({ code: '8810A', label: 'Aide à domicile' }, cohesion, 2941, ''),
  youth: sector({ code: '8891A', label: 'Accueil de jeunes enfants' }, cohesion, 1518, ''),
  club: sector({ code: '9312Z', label: 'Activités de clubs de sports' }, 'AFDAS', 2511, ''),
  culture: sector(
    { code: '9499Z', label: 'Autres organisations fonctionnant par adhésion volontaire' },
    cohesion,
    1518,
    '',
  ),
};
