/**
 * A generated export of any length, one row at a time: about 2 kB each, with places in proportion to the inhabitants of
 * communes, texts in French whose words follow Zipf's law, repeated SIRETs and offers, expired and filled offers, and the blemishes
 * of the real file: missing points, addresses with CEDEX, null dates, unknown words.
 */
import { boxCentre } from '../subgraphs/codes/places.js';
import { communeIndex, type IndexedCommune } from '../subgraphs/work-study/communes/commune-index.js';
import { createChance } from '../test/chance.js';

/** How many rows, from which seed; equal ones give equal rows. */
interface ExportOptions {
  readonly rows: number;
  readonly seed?: number;
}

/** What measurements read of a row. */
interface ExportRow {
  readonly workplace: { readonly siret: string | null } & Record<string, unknown>;
  readonly offer: { readonly title: string; readonly description: string } & Record<string, unknown>;
  readonly [part: string]: unknown;
}

/** The rows of a generated export, as the service writes them. */
export function* exportRows({ rows, seed = 1 }: ExportOptions): Generator<ExportRow> {
  const random = createRandom(seed);
  const communes = createPicker([...communeIndex().byInsee.values()].filter(({ box }) => box !== null));
  const offers: ExportRow[] = [];
  for (let row = 0; row < rows; row++) {
    const earlier = random() < 0.02 ? offers[Math.floor(random() * offers.length)] : undefined;
    if (earlier === undefined) offers[row % 1000] = exportRow(row, random, communes(random));
    yield earlier === undefined ? (offers[row % 1000] as ExportRow) : repeatOf(earlier, row);
  }
}

/** The same post from another partner. */
function repeatOf(earlier: ExportRow, row: number): ExportRow {
  const { title, description } = earlier.offer;
  return {
    ...earlier,
    identifier: { id: row.toString(16).padStart(24, '0'), partner_job_id: `i-${row}`, partner_label: 'Indeed' },
    offer: { ...earlier.offer, title: title.toUpperCase(), description: `${description} Postulez sur notre site.` },
  };
}

type Random = () => number;

/** Numbers from 0 to below 1. */
export const createRandom = (seed: number): Random => createChance(seed).next;

/** Picks communes by their inhabitants. */
function createPicker(communes: readonly IndexedCommune[]): (random: Random) => IndexedCommune {
  const sums = new Float64Array(communes.length);
  let sum = 0;
  for (const [place, { population }] of communes.entries()) {
    sum += population + 20;
    sums[place] = sum;
  }
  return (random) => {
    const wanted = random() * sum;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return communes[low] as IndexedCommune;
  };
}

const START = Date.UTC(2026, 5, 1);
const DAY_MS = 24 * 60 * 60 * 1000;

const TRADES: readonly (readonly [title: string, romes: readonly string[], naf: string, opco: string])[] = [
  ['Boulanger·ère', ['D1102', 'D1104'], '1071C', 'OPCO EP'],
  ['Développeur web', ['M1805'], '6201Z', 'ATLAS'],
  ['Vendeuse conseil en prêt-à-porter', ['D1214', 'D1106'], '4771Z', "L'OPCOMMERCE"],
  ['Employé polyvalent de restauration', ['G1603'], '5610C', 'AKTO'],
  ['Technicienne de maintenance', ['I1309', 'I1304'], '3312Z', 'OPCO 2i'],
  ['Assistant·e de gestion', ['M1604', 'M1605'], '6920Z', 'ATLAS'],
  ['Électricien du bâtiment', ['F1602'], '4321A', 'CONSTRUCTYS'],
  ['Éducateur sportif', ['G1204'], '8551Z', 'AFDAS'],
  ['Conducteur d’engins agricoles', ['A1101'], '0111Z', 'OCAPIAT'],
  ['Aide-soignant', ['J1501'], '8710A', 'OPCO SANTE'],
  ['Chargée de communication', ['E1103', 'E1101'], '9499Z', 'UNIFORMATION'],
  ['Préparateur de commandes', ['N1103'], '5210B', 'OPCO MOBILITES'],
];
const PARTNERS = ['Hellowork', 'France Travail', 'offres_emploi_lba', 'Meteojob', 'La bonne alternance', 'Jobteaser'];
const DIPLOMAS = [
  { european: '3', label: 'CAP, BEP (Infrabac)' },
  { european: '4', label: 'BP, Bac, autres formations (Bac)' },
  { european: '5', label: 'BTS, DEUST, autres formations (Bac+2)' },
  { european: '6', label: 'Licence, autres formations (Bac+3)' },
  { european: '7', label: 'Master, titre ingénieur (Bac+5)' },
  null,
];

function exportRow(row: number, random: Random, commune: IndexedCommune): ExportRow {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const isRecruiter = random() < 0.2;
  const [title, romes, naf, opco] = pick(TRADES);
  const siret = random() < 0.03 ? null : siretOf(random() < 0.4 ? row : Math.floor(random() * row * 0.2));
  const id = row.toString(16).padStart(24, '0');
  const created = new Date(START + Math.floor(random() * 120 * DAY_MS));
  const lon = random();
  const { lat, lon: centre } = boxCentre(commune.box ?? { minLon: 0, maxLon: 0, minLat: 0, maxLat: 0 });
  const point = random() < 0.06 ? null : [round(centre + (lon - 0.5) * 0.02), round(lat + (random() - 0.5) * 0.02)];
  const postalCode = random() < 0.03 ? `${commune.postalCodes[0]?.slice(0, 3)}99` : pick(commune.postalCodes);
  const city = random() < 0.05 ? `${commune.nom.toUpperCase()} CEDEX 9` : commune.nom;
  const diploma = pick(DIPLOMAS);
  return {
    identifier: {
      id,
      partner_job_id: isRecruiter ? siret : `p-${row}`,
      partner_label: isRecruiter ? 'recruteurs_lba' : pick(PARTNERS),
    },
    workplace: {
      name: `${capital(wordOf(random))} ${wordOf(random)} ${row % 977}`,
      description: isRecruiter || random() < 0.3 ? null : sentences(random, 30),
      website: random() < 0.2 ? `https://www.exemple-${row}.fr` : null,
      siret,
      location: {
        address: random() < 0.01 ? '' : `${1 + (row % 200)} rue ${wordOf(random)} ${postalCode} ${city}`,
        geopoint: point === null ? null : { type: 'Point', coordinates: point },
      },
      brand: random() < 0.3 ? capital(wordOf(random)) : null,
      legal_name: `SOCIETE ${wordOf(random).toUpperCase()}`,
      size: pick(['0-0', '1-2', '3-5', '6-9', '10-19', '20-49', '50-99', '100-199', null]),
      domain: {
        idcc: random() < 0.5 ? 1486 : null,
        opco: random() < 0.1 ? null : opco,
        naf: random() < 0.02 ? null : { code: naf, label: `${title} et activités connexes` },
      },
    },
    apply: { phone: null, url: `https://emplois.exemple.fr/offre/${id}`, recipient_id: `partners_${id}` },
    contract: {
      start: random() < 0.2 ? null : new Date(created.getTime() + Math.floor(random() * 90) * DAY_MS).toISOString(),
      duration: isRecruiter ? null : pick([6, 12, 24, 36]),
      type: isRecruiter
        ? []
        : pick([['Apprentissage'], ['Professionnalisation'], ['Apprentissage', 'Professionnalisation']]),
      remote: pick([null, 'onsite', 'onsite', 'hybrid', 'remote']),
    },
    offer: isRecruiter
      ? {
          title: 'recruteurs_lba',
          desired_skills: [],
          to_be_acquired_skills: [],
          access_conditions: [],
          opening_count: 1,
          publication: { creation: created.toISOString(), expiration: null },
          rome_codes: romes,
          description: 'recruteurs_lba',
          target_diploma: null,
          status: 'Active',
        }
      : {
          title: `${title} ${pick(['en alternance', 'H/F', '(F/H) - apprentissage', `à ${commune.nom}`])}`,
          desired_skills: ['Rigueur', 'Écoute'],
          to_be_acquired_skills: [],
          access_conditions: ['Ce métier est accessible avec un bac.'],
          opening_count: 1 + (row % 3),
          publication: {
            creation: random() < 0.01 ? null : created.toISOString(),
            expiration:
              random() < 0.1
                ? null
                : new Date(created.getTime() + (60 + Math.floor(random() * 400)) * DAY_MS).toISOString(),
          },
          rome_codes: romes,
          description: sentences(random, 105),
          target_diploma: diploma,
          status: random() < 0.95 ? 'Active' : pick(['Filled', 'Cancelled']),
        },
    is_delegated: random() < 0.05,
  };
}

/** A SIRET with its check digit. */
function siretOf(number: number): string {
  const digits = `${String(100_000_000 + number * 7).padStart(9, '0')}0001`;
  const sum = [...digits].reduce((total, digit, place) => {
    const value = place % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const SYLLABLES =
  'a é ta re mi so lu dé ment tion pré ger vi é ço ri que bou lan co mer ce tech ni ser né pa tri moi è'.split(' ');
const COMMON =
  "de la et le à en les des pour vous un une du nous dans au sur votre avec est l'équipe d'une alternance entreprise formation poste clients missions apprenti contrat expérience bac travail école accueil gestion vente".split(
    ' ',
  );
const VOCABULARY = 40_000;

/** A word whose rank follows Zipf's law: half are common ones, most others are of a vocabulary of 40,000. */
function wordOf(random: Random): string {
  const rank = Math.floor(VOCABULARY ** random());
  if (rank < COMMON.length) return COMMON[rank] as string;
  let word = '';
  for (let rest = rank * 613; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
}

function sentences(random: Random, words: number): string {
  let text = '';
  for (let word = 0; word < words; word++)
    text += (word % 14 === 0 ? `${capital(wordOf(random))}` : wordOf(random)) + (word % 14 === 13 ? '. ' : ' ');
  return text.trim();
}
