/** A text without accents, case and ligatures, for comparing: `Chœur` and `choeur` are the same word. */
export function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('œ', 'oe').replaceAll('æ', 'ae');
}
