/**
 * Generated offers of posts that several partners list, with offers that only look like them. Each kind of copy says
 * whether it is still the same post, in words of its own: the code is not asked.
 */
// biome-ignore lint/suspicious/noExplicitAny: an offer as the service writes it
type Offer = any;

/** An offer, and the post that it is for. */
export interface Labelled {
  readonly offer: Offer;
  readonly post: number;
  /** The kind of copy, for messages. */
  readonly kind: string;
}

const PARTNERS = ['Hellowork', 'France Travail', 'Meteojob', 'Jobteaser', 'offres_emploi_lba', 'Apec', 'Leboncoin'];
const TITLES: readonly (readonly string[])[] = [
  ['Boulanger·ère', 'BOULANGER H/F', 'Boulanger / Boulangère', 'Boulangère (F/H)', 'Boulanger(ère) - réf. 48123'],
  ['Vendeur (euse) H/F', 'Vendeuse', 'vendeur-se', 'Vendeur.euse 35h', 'Vendeur ou vendeuse'],
  [
    'Chargé(e) de communication',
    'Chargé·e de communication',
    'CHARGEE DE COMMUNICATION F/H',
    'Chargé de communication hf',
  ],
  ['Technicien de maintenance', 'Technicien(ne) de maintenance (H/F)', 'Technicien/ne de maintenance 2026'],
  ['Conseiller clientèle', 'Conseiller·ère clientèle', 'Conseillère clientele h-f', 'Conseiller/ère clientèle'],
  ['Aide-soignant', 'Aide-soignant / Aide-soignante', 'AIDE SOIGNANT(E) H/F'],
  ['Directeur adjoint', 'Directeur/trice adjoint(e)', 'Directrice adjointe', 'Directeur.rice adjoint.e F/H'],
  ['Employé polyvalent', 'Employé(e)s polyvalent(e)s', 'Employée polyvalente (h/f/x)', 'Employé-e polyvalent-e'],
];
const TOWNS: readonly (readonly [string, string, number, number])[] = [
  ['44000', 'Nantes', -1.553, 47.218],
  ['35000', 'Rennes', -1.68, 48.114],
  ['59000', 'Lille', 3.06, 50.63],
  ['67000', 'Strasbourg', 7.75, 48.57],
];
const NOUNS = 'équipe client produit atelier rayon dossier projet service commande planning outil budget'.split(' ');
const VERBS = 'accueillir préparer suivre vérifier organiser présenter installer contrôler ranger rédiger'.split(' ');
const QUALITIES = 'motivé rigoureux curieux autonome ponctuel souriant habile attentif'.split(' ');

/** Offers for so many posts. `random` gives numbers from 0 to below 1. */
export function repeatedOffers(posts: number, random: () => number): Labelled[] {
  const all: Labelled[] = [];
  let post = 0;
  for (let turn = 0; turn < posts; turn++) {
    const titles = TITLES[turn % TITLES.length] ?? [];
    const base = offerFor(turn, titles[0] ?? '', random);
    const partners = [...PARTNERS].sort(() => random() - 0.5);
    const own = post++;
    all.push({ offer: as(base, partners.pop()), post: own, kind: 'original' });
    const copies = pick(Object.entries(SAME), 1 + Math.floor(random() * 3), random);
    for (const [kind, copy] of copies) {
      all.push({ offer: as(copy(base, titles, random), partners.pop()), post: own, kind });
    }
    const others = Object.entries(DIFFERENT).filter(([kind]) => !copies.some(([copy]) => SILENT[copy]?.includes(kind)));
    for (const [kind, copy] of pick(others, 2, random)) {
      all.push({ offer: as(copy(base, random), partners.pop()), post: post++, kind });
    }
  }
  return all.sort(() => random() - 0.5).map((one, place) => ({ ...one, offer: identified(one.offer, place) }));
}

/** An offer and one copy of a kind. */
export function pairOf(turn: number, kind: string, random: () => number): Labelled[] {
  const titles = TITLES[turn % TITLES.length] ?? [];
  const base = offerFor(turn, titles[0] ?? '', random);
  const copy = SAME[kind]?.(base, titles, random) ?? DIFFERENT[kind]?.(base, random);
  return [base, copy].map((offer, place) => ({ offer: identified(as(offer, PARTNERS[place]), place), post: 0, kind }));
}

const siret = (number: number) => `${number}00017`;

const text = (words: number, random: () => number) =>
  Array.from({ length: words / 5 }, () => {
    const [verb, noun, quality] = [VERBS, NOUNS, QUALITIES].map((list) => list[Math.floor(random() * list.length)]);
    return `${verb} le ${noun} ${Math.floor(random() * 400)} en étant ${quality}`;
  }).join('. ');

function offerFor(turn: number, title: string, random: () => number): Offer {
  const [postcode, town, lon, lat] = TOWNS[Math.floor(random() * TOWNS.length)] ?? ['', '', 0, 0];
  return {
    workplace: {
      name: `Maison ${turn} et fils`,
      brand: `Enseigne ${turn}`,
      legal_name: `SARL MAISON ${turn} ET FILS`,
      siret: siret(600_000_000 + turn),
      location: { address: `${1 + (turn % 90)} rue du Général Hoche ${postcode} ${town}`, geopoint: point(lon, lat) },
    },
    contract: { type: ['Apprentissage'], start: '2026-09-01T00:00:00.000Z', duration: 24, remote: 'onsite' },
    offer: {
      title,
      description: `${text(100, random)}. Le poste est basé à ${town}.`,
      target_diploma: { european: '4', label: 'Bac' },
      status: 'Active',
      rome_codes: ['D1102'],
      publication: { creation: new Date(Date.UTC(2026, 5, 1) + turn * 3_600_000).toISOString(), expiration: null },
    },
    is_delegated: false,
  };
}

const point = (lon: number, lat: number) => ({ type: 'Point', coordinates: [lon, lat] });
const copied = (base: Offer, change: (copy: Offer) => unknown): Offer => {
  const copy = structuredClone(base);
  change(copy);
  return copy;
};
const as = (offer: Offer, partner = 'Autre') => ({ ...offer, identifier: { partner_label: partner } });
/** The offer with identifiers. */
export const identified = (offer: Offer, place: number) => ({
  ...offer,
  identifier: { ...offer.identifier, id: String(place), partner_job_id: `job-${place}` },
});
const pick = <T>(list: T[], count: number, random: () => number): T[] =>
  [...list].sort(() => random() - 0.5).slice(0, count);

/** Copies of the same post. */
export const SAME: Record<string, (base: Offer, titles: readonly string[], random: () => number) => Offer> = {
  'as it is': (base) => copied(base, () => {}),
  'another form of the title': (base, titles, random) =>
    copied(base, ({ offer }) => (offer.title = titles[Math.floor(random() * titles.length)])),
  'without SIRET, brand and legal name': (base) =>
    copied(base, ({ workplace }) => Object.assign(workplace, { siret: null, brand: null, legal_name: null })),
  'without SIRET, legal name as name': (base) =>
    copied(base, ({ workplace }) => Object.assign(workplace, { siret: null, name: workplace.legal_name, brand: null })),
  'without position': (base) => copied(base, ({ workplace }) => (workplace.location.geopoint = null)),
  'SIRET without a place': (base) =>
    copied(base, ({ workplace }) => (workplace.location = { address: '', geopoint: null })),
  'silent about contract and level': (base) =>
    copied(base, (copy) => {
      copy.contract = { type: [], start: null, duration: null, remote: null };
      copy.offer.target_diploma = null;
    }),
  'in capitals, with markup': (base) =>
    copied(base, ({ offer }) => {
      offer.title = offer.title.toUpperCase();
      offer.description = `<p>${offer.description.toUpperCase().replaceAll('. ', '</p>\n<p>')}</p>`;
    }),
  'with a sentence at the end': (base) =>
    copied(base, ({ offer }) => (offer.description += '. Postulez sur notre site, nous avons hâte de vous lire.')),
  'cut after two thirds': (base) =>
    copied(base, ({ offer }) => (offer.description = offer.description.slice(0, offer.description.length * 0.67))),
  'with another word here and there': (base) =>
    copied(base, ({ offer }) => {
      let place = 0;
      offer.description = offer.description.replace(/\S+/g, (word: string) => (++place % 29 === 0 ? 'toujours' : word));
    }),
  'for an apprentice': (base) =>
    copied(base, ({ offer }) => (offer.title = `Apprenti(e) ${offer.title} - 12 mois #482`)),
  'with accents as entities': (base) =>
    copied(base, ({ offer }) => {
      offer.description = offer.description.replaceAll('é', '&eacute;').replaceAll('ô', '&ocirc;');
    }),
  'a day later': (base) => copied(base, ({ contract }) => (contract.start = '2026-09-02T00:00:00.000Z')),
};

/** Offers that look like a post's, and are for another. */
export const DIFFERENT: Record<string, (base: Offer, random: () => number) => Offer> = {
  'at night': (base) => copied(base, ({ offer }) => (offer.title = `${offer.title} de nuit`)),
  'for its manager': (base) => copied(base, ({ offer }) => (offer.title = `Responsable ${offer.title}`)),
  'in another town': (base) =>
    copied(base, ({ workplace }) => {
      workplace.location = { address: '5 place du Marché 06000 Nice', geopoint: point(7.26, 43.7) };
    }),
  'at another agency': (base) => copied(base, ({ workplace }) => (workplace.siret = siret(700_000_000))),
  'at another agency of the street': (base) =>
    copied(base, ({ workplace }) => {
      workplace.siret = null;
      workplace.location.address = workplace.location.address.replace(
        /^\d+ rue du Général Hoche/,
        '107 rue du Général Hoche',
      );
    }),
  'in another street, without SIRET': (base) =>
    copied(base, ({ workplace }) => {
      workplace.siret = null;
      workplace.location.address = workplace.location.address.replace(/^\d+ rue du Général Hoche/, '3 place Foch');
    }),
  'of another employer': (base) =>
    copied(base, ({ workplace }) => {
      Object.assign(workplace, { siret: null, name: 'Le Concurrent', brand: null, legal_name: 'SAS CONCURRENT' });
    }),
  'with another contract': (base) => copied(base, ({ contract }) => (contract.type = ['Professionnalisation'])),
  'of another level': (base) => copied(base, ({ offer }) => (offer.target_diploma.european = '6')),
  'half as long': (base) => copied(base, ({ contract }) => (contract.duration = 12)),
  'in January': (base) => copied(base, ({ contract }) => (contract.start = '2027-01-04T00:00:00.000Z')),
  'a year ago': (base) =>
    copied(base, ({ contract, offer }) => {
      contract.start = null;
      offer.publication.creation = '2025-06-15T08:00:00.000Z';
    }),
  'with other tasks': (base, random) => copied(base, ({ offer }) => (offer.description = text(100, random))),
  'with another number in the text': (base) =>
    copied(base, ({ offer }) => (offer.description = offer.description.replace(/\d+/, '999'))),
  'with another town in the text': (base) =>
    copied(base, ({ offer }) => (offer.description = offer.description.replace(/\w+\.$/, 'Villefranche-sur-Saône.'))),
  'with half of the tasks': (base, random) =>
    copied(base, ({ offer }) => {
      const half = offer.description.slice(0, offer.description.length / 2);
      offer.description = `${half}. ${text(50, random)}`;
    }),
  'that the training centre manages': (base) => copied(base, (copy) => (copy.is_delegated = true)),
};

/** Copies that do not say what tells the post from these others. */
export const SILENT: Readonly<Record<string, readonly string[]>> = {
  'without SIRET, brand and legal name': ['at another agency'],
  'without SIRET, legal name as name': ['at another agency'],
  'SIRET without a place': ['in another town'],
  'cut after two thirds': ['with another town in the text'],
  'silent about contract and level': ['with another contract', 'of another level', 'half as long', 'in January'],
};
