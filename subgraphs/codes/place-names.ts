/**
 * A place name without variations in spelling: case, accents, ligatures, hyphens, apostrophes, `St`/`Ste` for
 * `Saint`/`Sainte`, a trailing `CEDEX` with its number, a department in brackets, and an arrondissement of Paris, Lyon
 * or Marseille (`PARIS 04`, `Lyon IIIe`, `16e arrondissement de Paris`). Different spellings of a name fold to the same
 * text; text without letters or digits folds to the empty text.
 */
export function foldPlaceName(name: string): string {
  const words = wordsOfPlaceName(name.replace(/\((?:\d{2,3}|2[ab])\)/gi, ' ')).replace(/ ?\bcedex\b.*$/, '');
  return cityOfArrondissement(words) ?? words;
}

/** The words of a place name, one space between them: lower case, without accents, `saint` for `St`. */
export function wordsOfPlaceName(name: string): string {
  return unaccented(name.toLowerCase())
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/\bst(e?s?)\b/g, 'saint$1');
}

/** `paris`, `lyon` or `marseille` for the words of one of its arrondissements, with or without `CEDEX`; else null. */
export function cityOfArrondissement(words: string): string | null {
  return CITY_FIRST.exec(words)?.[1] ?? CITY_LAST.exec(words)?.[1] ?? null;
}

const CITY = '(paris|lyon|marseille)';
const WORD = '(?:arr(?:ondissements?|dt|t|d)?|ardt)';
const ENDING = '(?:er|ere|re|e|eme|ieme|nd|nde|d|de)';
/** `iii`, `xvi`: only after or before the name of the city, because `i` and `x` are words too. */
const ROMAN = '(?=[ivx])x{0,2}(?:ix|iv|v?i{0,3})';
/** `premier`, `second`, `seizieme`, `dix septieme`. */
const SPELT = '(?:premiere?|seconde?|(?:dix )?[a-z]+ieme)';

/** `paris 4e arrondissement`, `paris16`, `lyon iiie`, `marseille 1er`, `paris 75`, `paris 75004`, `paris arr 4`. */
const CITY_FIRST = new RegExp(
  `^${CITY} ?(?: ${WORD} )?(?:\\d{1,2}(?: ?${ENDING})?|(?<= )${ROMAN}(?: ?${ENDING})?|(?<= )${SPELT}|\\d{5})(?: ${WORD})?$`,
);
/** `4e arrondissement de paris`, `xvie paris`, `8e arr marseille`. */
const CITY_LAST = new RegExp(
  `^(?:${WORD} )?(?:(?:0?[1-9]|1\\d|20)(?: ?${ENDING})?|${ROMAN}(?: ?${ENDING})?|${SPELT})(?: ${WORD})?(?: de)? ${CITY}$`,
);

function unaccented(lowerCase: string): string {
  if (!/[^ -~]/.test(lowerCase)) return lowerCase;
  return lowerCase
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae');
}
