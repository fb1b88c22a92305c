/**
 * A place name without variations in spelling: case, accents, ligatures, hyphens, apostrophes, `St`/`Ste` for
 * `Saint`/`Sainte`, a trailing `CEDEX` with its number, a department in brackets, and an arrondissement after Paris,
 * Lyon or Marseille (`PARIS 04`, `Lyon 3e Arrondissement`). Different spellings of a name fold to the same text; text
 * without letters or digits folds to the empty text.
 */
export function foldPlaceName(name: string): string {
  const words = unaccented(name.toLowerCase())
    .replace(/\((?:\d{2,3}|2[ab])\)/g, ' ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/\bst(e?s?)\b/g, 'saint$1')
    .replace(/ ?\bcedex\b.*$/, '');
  return ARRONDISSEMENT.exec(words)?.[1] ?? words;
}

/** `paris 4e arrondissement`, `lyon 03`, `marseille 1er`, `paris 75004`: captures the city, without the rest. */
const ARRONDISSEMENT =
  /^(paris|lyon|marseille) (?:\d{1,2} ?(?:er|e|eme|ieme|nd|nde)?(?: arr(?:ondissement|dt|t)?)?|\d{5})$/;

function unaccented(lowerCase: string): string {
  if (!/[^ -~]/.test(lowerCase)) return lowerCase;
  return lowerCase
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae');
}
