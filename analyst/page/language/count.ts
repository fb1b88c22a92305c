/** A number with its noun in English: `1 row`, `1,902 rows`. */
export function countInEnglish(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** A number with its noun in French, where zero is singular: `0 ligne`, `1 902 lignes`. */
export function countInFrench(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('fr')} ${Math.abs(count) < 2 ? one : many}`;
}
