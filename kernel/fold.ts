/** How texts are searched: what a reader does not see, or would type otherwise, makes no difference. */

/** What has no decomposition: letters that are not a base and an accent, and typographic signs. */
const LETTERS = { œ: 'oe', æ: 'ae', ß: 'ss', đ: 'd', ð: 'd', ł: 'l', ø: 'o', þ: 'th', ı: 'i' };
const SIGNS = new Map(Object.entries({ ...LETTERS, '’': "'", '‘': "'", '♯': '#' }));
const SIGN = new RegExp(`[${[...SIGNS.keys()].join('')}]`, 'g');
/** Accents, variation selectors, soft hyphens, zero widths and marks of direction. */
const INVISIBLE = /(?:[\u0300-\u036f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|\p{M})+/gu;

/** `&eacute;`, `&#233;`, `&#xE9;`, `&nbsp;`. */
const ENTITY = /&(?:#(\d{1,7}|x[\da-f]{1,6})|([a-z]{2,8}));/gi;
const ACCENTED = /^(?:([a-z])(?:acute|grave|circ|uml|cedil|tilde|ring|slash)|(oe|ae)lig)$/i;
/** Those that are neither accented letters nor as good as a blank. */
const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', rsquo: "'", shy: '', middot: '·' }));
const TAG = /<\/?[a-z][^<>]*>/gi;

/**
 * A text without case, accents, ligatures, compatibility forms and invisible characters, with `'` and `-` for their
 * typographic forms. Entities are decoded, also where they were encoded twice, and tags are blanks. Lines stay apart.
 */
export function fold(text: string): string {
  if (!/[^ -~]|[&<]| {2}/.test(text)) return text.toLowerCase();
  const decoded = text.includes('&') ? text.replace(ENTITY, decode).replace(ENTITY, decode) : text;
  return (decoded.includes('<') ? decoded.replace(TAG, ' ') : decoded)
    .toLowerCase()
    .replace(/[^\n -~]/gu, foldSign)
    .replace(/ {2,}/g, ' ');
}

/** Signs that were folded before: a text has few different ones, and they are the same in the next. */
const known = new Map<string, string>();
const MAX_KNOWN = 10_000;

function foldSign(sign: string): string {
  const before = known.get(sign);
  if (before !== undefined) return before;
  const plain = sign.normalize('NFKD').replace(INVISIBLE, '').toLowerCase();
  const folded = plain
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/[^\S\n]/g, ' ')
    .replace(SIGN, (one) => SIGNS.get(one) ?? one);
  if (known.size < MAX_KNOWN) known.set(sign, folded);
  return folded;
}

function decode(_entity: string, number: string | undefined, name: string): string {
  if (number === undefined) {
    const [, letter, ligature] = ACCENTED.exec(name) ?? [];
    return letter ?? ligature ?? ENTITIES.get(name) ?? ' ';
  }
  const point = Number(number.replace(/^x/i, '0x'));
  return point <= 0x10ffff ? String.fromCodePoint(point) : ' ';
}

/** What is written behind the masculine form of an inclusive word: `apprenti·e`, `étudiant.e.s`, `vendeur/se`, `employé(e)s`. */
const INCLUSIVE = /([a-z]{2,})([·•‧∙⋅./-][a-z]{1,5}(?:[·•‧∙⋅./-]s)?| ?\([a-z]{1,6}\)s?)(?![\p{L}\p{N}])/gu;
/** Whether a text may have one: tests a description in a tenth of the time. */
const MAYBE_INCLUSIVE = /[·•‧∙⋅./-][a-z]{1,5}(?![a-z])|\([a-z]{1,6}\)/;
/** Endings of the feminine and the masculine; of several that fit, the first. */
const GENDER_ENDINGS = (
  'trice/teur drice/deur euse/eur euse/eux esse/e elle/el ienne/ien enne/en anne/an onne/on iere/ier ere/er ette/et ' +
  'ive/if effe/ef ee/e'
)
  .split(' ')
  .map((pair) => pair.split('/') as [feminine: string, masculine: string]);

/** The feminine form of a masculine one with an ending behind it, such as `se` or `euse`; null if that is none. */
function feminineOf(word: string, ending: string): string | null {
  if (ending === 'e') return `${word}e`;
  const fits = ([feminine, masculine]: (typeof GENDER_ENDINGS)[number]) =>
    ending.length > 1 && feminine.endsWith(ending) && word.endsWith(masculine);
  const [feminine, masculine = ''] = GENDER_ENDINGS.find(fits) ?? [];
  return feminine === undefined ? null : word.slice(0, word.length - masculine.length) + feminine;
}

/** A word in the masculine singular, as far as its ending tells; the same of both genders is enough. */
export function masculine(word: string): string {
  if (word.length < 4) return word;
  const singular = word.endsWith('s') ? word.slice(0, -1) : word;
  const ending = GENDER_ENDINGS.find(([feminine]) => singular.endsWith(feminine));
  const changed = ending === undefined ? singular : singular.slice(0, -ending[0].length) + ending[1];
  return changed.endsWith('e') && changed.length > 3 ? changed.slice(0, -1) : changed;
}

/** A folded text with each inclusive word as `write` writes its forms: masculine and feminine, then their plurals. */
function writeForms(folded: string, write: (forms: readonly string[]) => string): string {
  if (!MAYBE_INCLUSIVE.test(folded)) return folded;
  return folded.replace(INCLUSIVE, (whole: string, word: string, behind: string) => {
    const ending = behind.replace(/[^a-z]/g, '');
    const singular = ending.replace(/s$/, '');
    const feminine = feminineOf(word, singular);
    // `poste(s)`, but not 10 km/s.
    if (feminine === null && (singular !== '' || /^[./-]/.test(behind))) return whole;
    const forms = feminine === null ? [word] : [word, feminine];
    return write(singular === ending ? forms : [...forms, ...forms.map((form) => `${form}s`)]);
  });
}

/** A text in which others are found, and how they are: `isIn(part)(searched(text))`. Inclusive words are there with each gender. */
export function searched(text: string): string {
  const folded = fold(text);
  const first = writeForms(folded, (forms) => forms[forms.length > 2 ? 2 : 0] ?? '');
  return first === folded ? folded : `${first}\0${writeForms(folded, (forms) => forms.at(-1) ?? '')}`;
}

/** Tests whether a part is in a `searched` text. */
export function isIn(part: string): (text: string) => boolean {
  const forms = searched(part).split('\0');
  return (text) => forms.some((form) => text.includes(form));
}

/** Words. Behind a letter, `+` and `#` belong to it, as in C++ and C#, unless what they add follows, as in bac+2. */
const WORD = /[\p{L}\p{N}]+(?:(?<=\p{L})(?:\+{2,}|\+(?!\p{L}| ?\p{N})|#(?!\p{L})))?/gu;

/** The words of a text in order, folded; inclusive ones in the masculine. */
export function wordsOf(text: string): string[] {
  return writeForms(fold(text), ([form = '']) => form).match(WORD) ?? [];
}

/** A text as it is sorted and labels are compared: its words with a space between them. */
export function foldText(text: string): string {
  return wordsOf(text).join(' ');
}

/** Only blanks, letters, digits and signs that are in no word. */
const PLAIN = /^[\n -"$-*,-^`-~]*$/;

/** All words by which a text is found, inclusive ones in each form, with what is in no word between them. */
export function wordsToFind(text: string): string {
  const written = writeForms(fold(text), (forms) => forms.join(' '));
  return PLAIN.test(written) ? written : (written.match(WORD) ?? []).join(' ');
}

/** The words that a reader looks for, each with its forms, one of which is enough. */
export function wordsSought(text: string): string[][] {
  // No folded text has a capital.
  const joined = writeForms(fold(text), (forms) => forms.join('X'));
  return (joined.match(WORD) ?? []).map((word) => word.split('X'));
}
