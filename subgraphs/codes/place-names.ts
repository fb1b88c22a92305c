/**
 * A place name without what differs between writers: case, accents, ligatures, hyphens, apostrophes, `St`/`Ste` for
 * `Saint`/`Sainte`, a trailing `CEDEX` with its number, a department in brackets, and the arrondissement behind
 * Paris, Lyon and Marseille (`PARIS 04`, `Lyon 3e Arrondissement`). Two names of one place fold to the same text;
 * a text without any letter folds to the empty text.
 */
export function foldPlaceName(name: string): string {
  const words = unaccented(name)
    .replace(/\([^)]*\)/g, ' ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .split(' ')
    .map((word) => ABBREVIATIONS[word] ?? word)
    .join(' ');
  return withoutArrondissement(words.replace(/ ?\bcedex\b.*$/, ''));
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { st: 'saint', ste: 'sainte', sts: 'saints', stes: 'saintes' };

function unaccented(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae');
}

/** `paris 4e arrondissement`, `lyon 03`, `marseille 1er`, `paris 75004`: the city alone. */
function withoutArrondissement(folded: string): string {
  const match =
    /^(paris|lyon|marseille) (?:\d{1,2} ?(?:er|e|eme|ieme|nd|nde)?(?: arr(?:ondissement|dt|t)?)?|\d{5})$/.exec(folded);
  return match?.[1] ?? folded;
}
