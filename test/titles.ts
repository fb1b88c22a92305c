/** Titles as partners write them, and what readers type to find them; no rule of the product made them. */
export interface PartnersTitle {
  readonly written: string;
  readonly typed: readonly string[];
}

/** The masculine and the feminine form, and how both are written as one word. */
const TRADES: readonly (readonly [masculine: string, feminine: string, ...written: string[]])[] = [
  ['apprenti', 'apprentie', 'apprenti·e', 'apprenti(e)', 'apprenti.e', 'apprenti-e', 'apprenti/e', 'apprenti•e'],
  ['développeur', 'développeuse', 'développeur·se', 'développeur(euse)', 'développeur.euse', 'développeur/se'],
  ['directeur', 'directrice', 'directeur·rice', 'directeur (trice)', 'directeur/trice', 'directeur.ice'],
  ['ambassadeur', 'ambassadrice', 'ambassadeur·rice', 'ambassadeur(drice)'],
  ['boulanger', 'boulangère', 'boulanger·ère', 'boulanger(ère)', 'boulanger/ère'],
  ['infirmier', 'infirmière', 'infirmier·ère', 'infirmier(ière)', 'infirmier.e'],
  ['technicien', 'technicienne', 'technicien·ne', 'technicien(ne)', 'technicien/ienne'],
  ['chargé', 'chargée', 'chargé·e', 'chargé(e)', 'chargé.e'],
  ['professionnel', 'professionnelle', 'professionnel·le', 'professionnel(le)'],
  ['créatif', 'créative', 'créatif·ve', 'créatif(ive)'],
  ['hôte', 'hôtesse', 'hôte·sse', 'hôte(sse)'],
  ['chef', 'cheffe', 'chef·fe', 'chef(fe)'],
  ['étudiants', 'étudiantes', 'étudiant·e·s', 'étudiant(e)s', 'étudiant.e.s', 'étudiant·es'],
  ['salariés', 'salariées', 'salarié-e-s', 'salarié·es'],
];

const NAMED = { é: 'eacute', è: 'egrave', ô: 'ocirc', ï: 'iuml', ç: 'ccedil', à: 'agrave', œ: 'oelig', '·': 'middot' };
const encoded = (text: string) => text.replace(/[éèôïçàœ·]/g, (letter) => `&${NAMED[letter as keyof typeof NAMED]};`);

/** What systems do to a title on its way. */
const SPELLINGS: readonly ((title: string) => string)[] = [
  (title) => title,
  (title) => title.toUpperCase(),
  (title) => title.normalize('NFD'),
  (title) => title.replace(/(?<=^...)/, '\u00ad').replace(/ /g, '\u00a0'),
  (title) => title.replace(/(?<=^..)/, '\u200b').replace(/'/g, '’'),
  (title) => `<p><b>${encoded(title)}</b></p>`,
  (title) => `<div>${encoded(title).replace(/&/g, '&amp;')}<br/>`,
  (title) => title.replace(/[^ -~]/g, (letter) => `&#${letter.codePointAt(0)};`),
];

/** What readers type beside a trade. */
const plain = (text: string) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');

/** One title for each trade, way and spelling: more than 300. */
export const PARTNERS_TITLES: readonly PartnersTitle[] = TRADES.flatMap(([masculine, feminine, ...ways]) =>
  ways.flatMap((way, place) =>
    SPELLINGS.map((spell) => ({
      written: spell(`${way} en pâtisserie d'œuvre n°${place}`),
      typed: [masculine, feminine, plain(feminine), `${plain(masculine)} en patisserie`, `${feminine} en pâtiss`, way],
    })),
  ),
);

/** Other pairs of what a reader sees and types, and what must not be found by it. */
export const OTHER_TITLES: readonly (PartnersTitle & { readonly other: readonly string[] })[] = [
  { written: 'Développeur C++ (H/F)', typed: ['c++', 'C++', 'developpeur c++'], other: ['c#', 'f++', 'développeuse'] },
  { written: 'Développeur C#/.NET', typed: ['c#', 'c# net', '.net'], other: ['c++', 'f#'] },
  { written: 'Conseiller commercial', typed: ['c', 'conseil'], other: ['c++', 'c#', 'c+'] },
  { written: 'Niveau bac+5 exigé, bac + 2 apprécié', typed: ['bac 5', 'bac +5', 'bac+2', 'BAC + 2'], other: ['bac++'] },
  { written: 'Oﬃcier de cuisine', typed: ['officier'], other: ['oficier'] },
  { written: 'Ｖｅｎｔｅ en boutique', typed: ['vente'], other: ['ventes'] },
  { written: 'Atelier Đặng, Łódź & Sørensen', typed: ['dang', 'lodz', 'sorensen', 'Łódź'], other: ['odz'] },
  { written: 'Chef de <strong>rang</strong>', typed: ['chef de rang'], other: ['strong'] },
  {
    written: 'R&amp;D chez L&rsquo;Or&eacute;al',
    typed: ["l'oreal", 'oréal', 'r&d'],
    other: ['rsquo', 'amp', 'eacute'],
  },
  { written: 'Vente à Bois-le-Roi et Noisy-le-Sec', typed: ['bois-le-roi', 'noisy le sec'], other: ['boisle'] },
  { written: 'Poste(s) de serveur, 10 km/h', typed: ['poste', 'postes', 'km'], other: ['kms'] },
  { written: 'Rendez-vous demain.Le poste', typed: ['rendez-vous', 'demain', 'poste'], other: ['demainle'] },
];
