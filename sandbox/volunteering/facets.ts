/** The number of records with one value, as the service writes it. */
export interface FacetEntry {
  readonly key: string;
  readonly doc_count: number;
}

/** Counts the values, most frequent first, ties in order of first appearance (volunteering 3.6). */
export function countFacet(values: Iterable<string>): FacetEntry[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([key, doc_count]) => ({ key, doc_count })).sort((a, b) => b.doc_count - a.doc_count);
}
