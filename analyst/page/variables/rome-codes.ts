import type { NamedCode } from './options.js';

/**
 * Common codes of the Répertoire opérationnel des métiers et des emplois, as `code|French|English`. No service lists
 * it: certifications name only their own codes (`domaines { rome }`). It has some 530, and any other code can be typed.
 */
const CODES = `
A1203|Aménagement et entretien des espaces verts|Gardens and green spaces
A1405|Arboriculture et viticulture|Orchards and vineyards
A1414|Horticulture et maraîchage|Horticulture and market gardening
A1416|Polyculture, élevage|Mixed farming
A1501|Aide aux soins animaux|Animal care
C1102|Conseil clientèle en assurances|Insurance advice
C1201|Accueil et services bancaires|Bank counter
C1206|Gestion de clientèle bancaire|Bank customer management
C1504|Transaction immobilière|Real estate
D1101|Boucherie|Butcher
D1102|Boulangerie - viennoiserie|Baker
D1103|Charcuterie - traiteur|Delicatessen and catering
D1104|Pâtisserie, confiserie, chocolaterie et glacerie|Pastry chef
D1106|Vente en alimentation|Food shop assistant
D1202|Coiffure|Hairdresser
D1208|Soins esthétiques et corporels|Beauty care
D1211|Vente en articles de sport et loisirs|Sports shop assistant
D1214|Vente en habillement et accessoires de la personne|Clothes shop assistant
D1401|Assistanat commercial|Sales assistant
D1402|Relation commerciale grands comptes et entreprises|Key account sales
D1403|Relation commerciale auprès de particuliers|Sales to private customers
D1505|Personnel de caisse|Cashier
D1507|Mise en rayon libre-service|Shelf stacking
E1103|Communication|Communications
E1205|Réalisation de contenus multimédias|Multimedia content
F1106|Ingénierie et études du BTP|Construction engineering
F1201|Conduite de travaux du BTP|Site management
F1501|Montage de structures et de charpentes bois|Carpenter
F1602|Électricité bâtiment|Electrician
F1603|Installation d’équipements sanitaires et thermiques|Plumber and heating engineer
F1606|Peinture en bâtiment|Painter
F1607|Pose de fermetures menuisées|Joiner
F1608|Pose de revêtements rigides|Tiler
F1610|Pose et restauration de couvertures|Roofer
F1703|Maçonnerie|Mason
G1202|Animation d’activités culturelles ou ludiques|Cultural activities leader
G1203|Animation de loisirs auprès d’enfants ou d’adolescents|Youth activities leader
G1204|Éducation en activités sportives|Sports coach
G1602|Personnel de cuisine|Cook
G1603|Personnel polyvalent en restauration|Catering assistant
G1703|Réception en hôtellerie|Hotel receptionist
G1803|Service en restauration|Waiter
H1203|Conception et dessin produits mécaniques|Mechanical design
H2903|Conduite d’équipement d’usinage|Machine tool operator
H2913|Soudage manuel|Welder
I1203|Maintenance des bâtiments et des locaux|Building maintenance
I1304|Installation et maintenance d’équipements industriels et d’exploitation|Industrial maintenance
I1309|Maintenance électrique|Electrical maintenance
I1604|Mécanique automobile et entretien de véhicules|Car mechanic
I1606|Réparation de carrosserie|Body repair
J1307|Préparation en pharmacie|Pharmacy technician
J1501|Soins d’hygiène, de confort du patient|Nursing assistant
J1506|Soins infirmiers généralistes|Nurse
K1201|Action sociale|Social worker
K1206|Intervention socioculturelle|Sociocultural work
K1207|Intervention socioéducative|Youth and social education
K1302|Assistance auprès d’adultes|Home care for adults
K1303|Assistance auprès d’enfants|Childcare
K1304|Services domestiques|Domestic services
K2204|Nettoyage de locaux|Cleaner
K2304|Revalorisation de produits industriels|Waste sorting and recycling
K2503|Sécurité et surveillance privées|Security guard
M1203|Comptabilité|Accounting
M1205|Direction administrative et financière|Finance management
M1501|Assistanat en ressources humaines|Human resources assistant
M1502|Développement des ressources humaines|Human resources development
M1601|Accueil et renseignements|Reception
M1602|Opérations administratives|Administration
M1604|Assistanat de direction|Executive assistant
M1607|Secrétariat|Secretary
M1705|Marketing|Marketing
M1801|Administration de systèmes d’information|System administrator
M1802|Expertise et support en systèmes d’information|IT support
M1805|Études et développement informatique|Software developer
M1810|Production et exploitation de systèmes d’information|IT operations
N1103|Magasinage et préparation de commandes|Warehouse worker
N1105|Manutention manuelle de charges|Goods handler
N4101|Conduite de transport de marchandises sur longue distance|Lorry driver
N4103|Conduite de transport en commun sur route|Bus driver
N4105|Conduite et livraison par tournées sur courte distance|Delivery driver
`;

/** Common ROME codes, in their own order. */
export const ROME_CODES: readonly NamedCode[] = CODES.trim()
  .split('\n')
  .map((line) => line.split('|'))
  .map(([code = '', fr = '', en = '']) => ({ code, fr, en }));
