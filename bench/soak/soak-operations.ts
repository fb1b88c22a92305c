import type { Sandbox } from '../../sandbox/index.js';
import { CREATE, offerInput } from '../../test/contract/support/offer-inputs.js';
import { sampleQueries } from '../../test/queries/read.js';

export interface SoakOperation {
  readonly query: string;
  readonly variables?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const SEARCHES = 8;

/**
 * A bounded set of queries, so that the caches stop growing after the warm-up: all examples of the page, searches,
 * unknown ids, invalid queries, and the publication of an offer.
 */
export async function soakOperations({ world, keys }: Sandbox): Promise<readonly SoakOperation[]> {
  const romes = [...new Set(world.offers.flatMap((row) => romesOf(row['offer'])))].slice(0, SEARCHES);
  return [
    ...sampleQueries().map(({ query, variables }) => ({ query, variables })),
    ...romes.map((rome) => ({
      query: 'query ($rome: ROMECode!) { jobSearch(romes: [$rome]) { truncated jobs { id title } } }',
      variables: { rome },
    })),
    { query: '{ departements { codeInsee nom } missionsLocales { nom } }' },
    { query: '{ mission(id: "ffffffffffffffffffffffff") { title } organization(rna: "W999999999") { title } }' },
    { query: '{ viewer { name } sources { name state } }' },
    { query: '{ nothing }' },
    { query: '{ missions(first: 20) { nodes { title } ' },
    { query: CREATE, variables: { input: offerInput() }, headers: { 'x-work-study-key': keys.workStudy.alice } },
  ];
}

function romesOf(offer: unknown): string[] {
  const codes: unknown = typeof offer === 'object' && offer !== null && 'rome_codes' in offer ? offer.rome_codes : [];
  return Array.isArray(codes) ? codes.map(String) : [];
}
