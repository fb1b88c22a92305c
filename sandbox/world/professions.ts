/** What an employer of one trade looks for: the ROME code links its offers with certifications and trainings. */
export interface Profession {
  readonly rome: string;
  readonly label: string;
  /** Title of an offer. */
  readonly title: string;
  readonly sector: Sector;
  /** European level of the diploma that the offers aim at. */
  readonly level: '3' | '4' | '5' | '6' | '7';
  /** Name of the diploma. */
  readonly diploma: string;
  /** Speciality of the diploma in the NSF nomenclature. */
  readonly nsf: string;
}

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

const bakery = sector('1071C', 'Boulangerie et boulangerie-pâtisserie', proximite, 843, 'Fournil, Boulangerie, Moulin');
const meat = sector('4722Z', 'Commerce de détail de viandes', proximite, 992, 'Boucherie, Maison');
const hair = sector('9602A', 'Coiffure', proximite, 2596, 'Coiffure, Salon, Atelier');
const pharmacy = sector('4773Z', 'Commerce de détail de produits pharmaceutiques', proximite, 1996, 'Pharmacie');
const shop = sector('4771Z', "Commerce de détail d'habillement", "L'Opcommerce", 1483, 'Boutique, Comptoir, Magasin');
const market = sector('4711D', 'Supermarchés', "L'Opcommerce", 2216, 'Marché, Halle, Épicerie');
const restaurant = sector('5610A', 'Restauration traditionnelle', akto, 1979, 'Auberge, Table, Brasserie, Bistrot');
const hotel = sector('5510Z', 'Hôtels et hébergement similaire', akto, 1979, 'Hôtel, Relais');
const builder = sector(
  '4399C',
  'Travaux de maçonnerie générale',
  'Constructys',
  1597,
  'Bâtisseurs, Maçonnerie, Toitures',
);
const electrician = sector('4321A', "Travaux d'installation électrique", 'Constructys', 1597, 'Électricité, Énergies');
const plumber = sector('4322A', "Travaux d'installation d'eau et de gaz", 'Constructys', 1597, 'Chauffage, Thermique');
const garden = sector('8130Z', "Services d'aménagement paysager", 'OCAPIAT', 7018, 'Jardins, Paysages, Pépinières');
const farm = sector('0150Z', 'Culture et élevage associés', 'OCAPIAT', 7024, 'Ferme, Vergers, Domaine');
const garage = sector('4520A', 'Entretien et réparation de véhicules', 'Opco Mobilités', 1090, 'Garage, Mécanique');
const carrier = sector(
  '4941B',
  'Transports routiers de fret de proximité',
  'Opco Mobilités',
  16,
  'Transports, Messagerie',
);
const metal = sector('2562B', 'Mécanique industrielle', 'OPCO 2i', 3248, 'Mécanique, Ateliers, Soudure');
const waste = sector('3832Z', 'Récupération de déchets triés', akto, 637, 'Recyclage, Tri, Valorisation');
const software = sector('6201Z', 'Programmation informatique', 'ATLAS', 1486, 'Logiciels, Numérique, Données');
const accountant = sector('6920Z', 'Activités comptables', 'ATLAS', 787, 'Cabinet, Comptabilité, Fiduciaire');
const insurance = sector(
  '6622Z',
  "Activités des agents et courtiers d'assurances",
  'ATLAS',
  2247,
  'Assurances, Courtage',
);
const media = sector('7311Z', 'Activités des agences de publicité', 'AFDAS', 86, 'Agence, Studio, Médias');
const care = sector('8710A', 'Hébergement médicalisé pour personnes âgées', 'Opco Santé', 2264, 'Résidence, Clinique');

const social = sector('8899B', 'Action sociale sans hébergement n.c.a.', cohesion, 2941, '');
const homeCare = sector('8810A', 'Aide à domicile', cohesion, 2941, '');
const youth = sector('8891A', 'Accueil de jeunes enfants', cohesion, 1518, '');
const club = sector('9312Z', 'Activités de clubs de sports', 'AFDAS', 2511, '');
const culture = sector('9499Z', 'Autres organisations fonctionnant par adhésion volontaire', cohesion, 1518, '');

type Row = readonly [
  rome: string,
  label: string,
  title: string,
  Sector,
  Profession['level'],
  diploma: string,
  nsf: string,
];

const companyRows: readonly Row[] = [
  [
    'A1203',
    'Aménagement et entretien des espaces verts',
    'Jardinier-paysagiste',
    garden,
    '3',
    'Jardinier paysagiste',
    '214',
  ],
  [
    'A1416',
    'Polyculture, élevage',
    'Ouvrier agricole polyvalent',
    farm,
    '4',
    "Conduite et gestion de l'entreprise agricole",
    '210',
  ],
  ['C1102', 'Conseil clientèle en assurances', 'Conseiller en assurances', insurance, '5', 'Assurance', '313'],
  ['D1101', 'Boucherie', 'Apprenti boucher / Apprentie bouchère', meat, '3', 'Boucher', '221'],
  ['D1102', 'Boulangerie - viennoiserie', 'Apprenti boulanger / Apprentie boulangère', bakery, '3', 'Boulanger', '221'],
  ['D1104', 'Pâtisserie, confiserie, chocolaterie et glacerie', 'Apprenti pâtissier', bakery, '3', 'Pâtissier', '221'],
  ['D1106', 'Vente en alimentation', 'Vendeur en boulangerie', bakery, '3', 'Équipier polyvalent du commerce', '312'],
  ['D1202', 'Coiffure', 'Coiffeur / Coiffeuse', hair, '3', 'Métiers de la coiffure', '336'],
  ['D1214', 'Vente en habillement et accessoires', 'Conseiller de vente', shop, '4', 'Conseiller de vente', '312'],
  [
    'D1401',
    'Assistanat commercial',
    'Assistant commercial',
    shop,
    '5',
    'Négociation et digitalisation de la relation client',
    '312',
  ],
  ['D1507', 'Mise en rayon libre-service', 'Employé polyvalent de magasin', market, '3', 'Employé commercial', '312'],
  ['E1103', 'Communication', 'Chargé de communication', media, '6', 'Communication des organisations', '321'],
  ['F1602', 'Électricité bâtiment', 'Électricien du bâtiment', electrician, '3', 'Électricien', '255'],
  [
    'F1603',
    "Installation d'équipements sanitaires et thermiques",
    'Plombier-chauffagiste',
    plumber,
    '3',
    'Monteur en installations sanitaires',
    '227',
  ],
  ['F1610', 'Pose et restauration de couvertures', 'Couvreur', builder, '3', 'Couvreur', '232'],
  ['F1703', 'Maçonnerie', 'Maçon / Maçonne', builder, '3', 'Maçon', '232'],
  ['G1602', 'Personnel de cuisine', 'Commis de cuisine', restaurant, '3', 'Cuisine', '221'],
  ['G1703', 'Réception en hôtellerie', 'Réceptionniste', hotel, '4', 'Réceptionniste en hôtellerie', '334'],
  [
    'G1803',
    'Service en restauration',
    'Serveur / Serveuse',
    restaurant,
    '3',
    'Commercialisation et services en restauration',
    '334',
  ],
  ['H2913', 'Soudage manuel', 'Soudeur', metal, '4', 'Technicien en chaudronnerie industrielle', '254'],
  [
    'I1304',
    "Installation et maintenance d'équipements industriels",
    'Technicien de maintenance',
    metal,
    '5',
    'Maintenance des systèmes',
    '250',
  ],
  ['I1604', 'Mécanique automobile', 'Mécanicien automobile', garage, '4', 'Maintenance des véhicules', '252'],
  ['J1307', 'Préparation en pharmacie', 'Préparateur en pharmacie', pharmacy, '5', 'Préparateur en pharmacie', '331'],
  [
    'J1501',
    "Soins d'hygiène, de confort du patient",
    'Aide-soignant',
    care,
    '4',
    "Diplôme d'État d'aide-soignant",
    '331',
  ],
  [
    'K2304',
    'Revalorisation de produits industriels',
    'Opérateur de tri',
    waste,
    '3',
    'Propreté et collecte des déchets',
    '343',
  ],
  ['M1203', 'Comptabilité', 'Assistant comptable', accountant, '5', 'Comptabilité et gestion', '314'],
  [
    'M1205',
    'Direction administrative et financière',
    'Contrôleur de gestion',
    accountant,
    '7',
    'Comptabilité, contrôle, audit',
    '314',
  ],
  [
    'M1805',
    'Études et développement informatique',
    'Développeur / Développeuse web',
    software,
    '6',
    'Concepteur développeur d’applications',
    '326',
  ],
  [
    'M1810',
    'Production et exploitation de systèmes',
    'Technicien informatique',
    software,
    '5',
    'Services informatiques aux organisations',
    '326',
  ],
  ['N1103', 'Magasinage et préparation de commandes', 'Préparateur de commandes', carrier, '4', 'Logistique', '311'],
  [
    'N4101',
    'Conduite de transport de marchandises',
    'Conducteur routier',
    carrier,
    '4',
    'Conducteur transport routier marchandises',
    '311',
  ],
];

const associationRows: readonly Row[] = [
  [
    'G1202',
    "Animation d'activités culturelles ou ludiques",
    'Animateur culturel',
    culture,
    '5',
    'Animation sociale et culturelle',
    '335',
  ],
  [
    'G1203',
    "Animation de loisirs auprès d'enfants",
    "Animateur / Animatrice d'accueil de loisirs",
    youth,
    '4',
    'Animateur loisirs tous publics',
    '335',
  ],
  ['G1204', 'Éducation en activités sportives', 'Éducateur sportif', club, '4', 'Éducateur sportif', '335'],
  [
    'K1201',
    'Action sociale',
    "Assistant d'action sociale",
    social,
    '6',
    "Diplôme d'État d'assistant de service social",
    '332',
  ],
  [
    'K1206',
    'Intervention socioculturelle',
    'Coordinateur de projets',
    culture,
    '6',
    'Coordination de projets culturels',
    '332',
  ],
  [
    'K1207',
    'Intervention socioéducative',
    'Moniteur-éducateur',
    social,
    '4',
    "Diplôme d'État de moniteur-éducateur",
    '332',
  ],
  ['K1302', "Assistance auprès d'adultes", 'Auxiliaire de vie', homeCare, '3', 'Assistant de vie aux familles', '332'],
  [
    'K1303',
    "Assistance auprès d'enfants",
    'Accompagnant éducatif petite enfance',
    youth,
    '3',
    'Accompagnant éducatif petite enfance',
    '332',
  ],
  [
    'M1602',
    'Opérations administratives',
    'Assistant administratif',
    culture,
    '4',
    'Assistance à la gestion des organisations',
    '324',
  ],
];

const asProfession = ([rome, label, title, branch, level, diploma, nsf]: Row): Profession => ({
  rome,
  label,
  title,
  sector: branch,
  level,
  diploma,
  nsf,
});

export const companyProfessions: readonly Profession[] = companyRows.map(asProfession);

/** What associations employ people for. */
export const associationProfessions: readonly Profession[] = associationRows.map(asProfession);

export const allProfessions: readonly Profession[] = [...companyProfessions, ...associationProfessions];
