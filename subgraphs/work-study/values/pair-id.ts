/** The id of an object that two codes identify together, with `-` for a missing one; null without either. */
export function pairId(one: string | null | undefined, other: string | null | undefined): string | null {
  const [first, second] = [one ?? null, other ?? null];
  return first === null && second === null ? null : `${first ?? '-'}:${second ?? '-'}`;
}
