const HAS_OTHER_LETTERS = /[^ -~\s]/;

/** A text without accents, case and ligatures, for comparing and searching: `Chœur` and `choeur` are the same word. */
export function fold(text: string): string {
  if (!HAS_OTHER_LETTERS.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('œ', 'oe').replaceAll('æ', 'ae');
}
