import { type Sector, sectors } from './sectors.js';

/** A profession that employers recruit for: the ROME code links its offers with certifications and formations. */
export interface Profession {
  readonly rome: string;
  readonly label: string;
  /** Title of an offer. */
  readonly title: string;
  readonly sector: Sector;
  /** European level of the diploma that its offers target. */
  readonly level: '3' | '4' | '5' | '6' | '7';
  /** Name of the diploma. */
  readonly diploma: string;
  /** Speciality of the diploma in the NSF nomenclature. */
  readonly nsf: string;
}

/** Professions of companies. */
export const companyProfessions: readonly Profession[] = [
  trade(
    sectors.garden,
    '3',
    'A1203|Aménagement et entretien des espaces verts|Jardinier-paysagiste|Jardinier paysagiste|214',
  ),
  trade(
    sectors.farm,
    '4',
    "A1416|Polyculture, élevage|Ouvrier agricole polyvalent|Conduite et gestion de l'entreprise agricole|210",
  ),
  trade(sectors.insurance, '5', 'C1102|Conseil clientèle en assurances|Conseiller en assurances|Assurance|313'),
  trade(sectors.meat, '3', 'D1101|Boucherie|Apprenti boucher / Apprentie bouchère|Boucher|221'),
  trade(
    sectors.bakery,
    '3',
    'D1102|Boulangerie - viennoiserie|Apprenti boulanger / Apprentie boulangère|Boulanger|221',
  ),
  trade(sectors.bakery, '3', 'D1104|Pâtisserie, confiserie, chocolaterie et glacerie|Apprenti pâtissier|Pâtissier|221'),
  trade(sectors.bakery, '3', 'D1106|Vente en alimentation|Vendeur en boulangerie|Équipier polyvalent du commerce|312'),
  trade(sectors.hair, '3', 'D1202|Coiffure|Coiffeur / Coiffeuse|Métiers de la coiffure|336'),
  trade(sectors.shop, '4', 'D1214|Vente en habillement et accessoires|Conseiller de vente|Conseiller de vente|312'),
  trade(
    sectors.shop,
    '5',
    'D1401|Assistanat commercial|Assistant commercial|Négociation et digitalisation de la relation client|312',
  ),
  trade(sectors.market, '3', 'D1507|Mise en rayon libre-service|Employé polyvalent de magasin|Employé commercial|312'),
  trade(sectors.media, '6', 'E1103|Communication|Chargé de communication|Communication des organisations|321'),
  trade(sectors.electrician, '3', 'F1602|Électricité bâtiment|Électricien du bâtiment|Électricien|255'),
  trade(
    sectors.plumber,
    '3',
    "F1603|Installation d'équipements sanitaires et thermiques|Plombier-chauffagiste|Monteur en installations sanitaires|227",
  ),
  trade(sectors.builder, '3', 'F1610|Pose et restauration de couvertures|Couvreur|Couvreur|232'),
  trade(sectors.builder, '3', 'F1703|Maçonnerie|Maçon / Maçonne|Maçon|232'),
  trade(sectors.restaurant, '3', 'G1602|Personnel de cuisine|Commis de cuisine|Cuisine|221'),
  trade(sectors.hotel, '4', 'G1703|Réception en hôtellerie|Réceptionniste|Réceptionniste en hôtellerie|334'),
  trade(
    sectors.restaurant,
    '3',
    'G1803|Service en restauration|Serveur / Serveuse|Commercialisation et services en restauration|334',
  ),
  trade(sectors.metal, '4', 'H2913|Soudage manuel|Soudeur|Technicien en chaudronnerie industrielle|254'),
  trade(
    sectors.metal,
    '5',
    "I1304|Installation et maintenance d'équipements industriels|Technicien de maintenance|Maintenance des systèmes|250",
  ),
  trade(sectors.garage, '4', 'I1604|Mécanique automobile|Mécanicien automobile|Maintenance des véhicules|252'),
  trade(sectors.pharmacy, '5', 'J1307|Préparation en pharmacie|Préparateur en pharmacie|Préparateur en pharmacie|331'),
  trade(
    sectors.care,
    '4',
    "J1501|Soins d'hygiène, de confort du patient|Aide-soignant|Diplôme d'État d'aide-soignant|331",
  ),
  trade(
    sectors.waste,
    '3',
    'K2304|Revalorisation de produits industriels|Opérateur de tri|Propreté et collecte des déchets|343',
  ),
  trade(sectors.accountant, '5', 'M1203|Comptabilité|Assistant comptable|Comptabilité et gestion|314'),
  trade(
    sectors.accountant,
    '7',
    'M1205|Direction administrative et financière|Contrôleur de gestion|Comptabilité, contrôle, audit|314',
  ),
  trade(
    sectors.software,
    '6',
    'M1805|Études et développement informatique|Développeur / Développeuse web|Concepteur développeur d’applications|326',
  ),
  trade(
    sectors.software,
    '5',
    'M1810|Production et exploitation de systèmes|Technicien informatique|Services informatiques aux organisations|326',
  ),
  trade(sectors.carrier, '4', 'N1103|Magasinage et préparation de commandes|Préparateur de commandes|Logistique|311'),
  trade(
    sectors.carrier,
    '4',
    'N4101|Conduite de transport de marchandises|Conducteur routier|Conducteur transport routier marchandises|311',
  ),
];

/** Professions of associations. */
export const associationProfessions: readonly Profession[] = [
  trade(
    sectors.culture,
    '5',
    "G1202|Animation d'activités culturelles ou ludiques|Animateur culturel|Animation sociale et culturelle|335",
  ),
  trade(
    sectors.youth,
    '4',
    "G1203|Animation de loisirs auprès d'enfants|Animateur / Animatrice d'accueil de loisirs|Animateur loisirs tous publics|335",
  ),
  trade(sectors.club, '4', 'G1204|Éducation en activités sportives|Éducateur sportif|Éducateur sportif|335'),
  trade(
    sectors.social,
    '6',
    "K1201|Action sociale|Assistant d'action sociale|Diplôme d'État d'assistant de service social|332",
  ),
  trade(
    sectors.culture,
    '6',
    'K1206|Intervention socioculturelle|Coordinateur de projets|Coordination de projets culturels|332',
  ),
  trade(
    sectors.social,
    '4',
    "K1207|Intervention socioéducative|Moniteur-éducateur|Diplôme d'État de moniteur-éducateur|332",
  ),
  trade(sectors.homeCare, '3', "K1302|Assistance auprès d'adultes|Auxiliaire de vie|Assistant de vie aux familles|332"),
  trade(
    sectors.youth,
    '3',
    "K1303|Assistance auprès d'enfants|Accompagnant éducatif petite enfance|Accompagnant éducatif petite enfance|332",
  ),
  trade(
    sectors.culture,
    '4',
    'M1602|Opérations administratives|Assistant administratif|Assistance à la gestion des organisations|324',
  ),
];

/** Professions of companies and associations. */
export const allProfessions: readonly Profession[] = [...companyProfessions, ...associationProfessions];

/** `texts` are, in order: ROME code, its label, title of the offer, diploma, NSF speciality. */
function trade(sector: Sector, level: Profession['level'], texts: string): Profession {
  const [rome = '', label = '', title = '', diploma = '', nsf = ''] = texts.split('|');
  return { rome, label, title, sector, level, diploma, nsf };
}
