import { readFileSync } from 'node:fs';
import { runs } from '../runs.js';

const FIRST = runs(2);

/** Seeds beyond the first ones that broke a promise, with what they found: `{ "seed": 263, "found": "…" }`. */
const former: readonly { readonly seed: number }[] = JSON.parse(
  readFileSync(new URL('./seeds.json', import.meta.url), 'utf8'),
);

/** The seeds of every test run; `npm run sim` plays any number. */
export const SEEDS: readonly number[] = [
  ...new Set([...Array.from({ length: FIRST }, (_, index) => index + 1), ...former.map(({ seed }) => seed)]),
];
