/** Chance, as the toolkit sees it: a number from 0 up to but excluding 1. The simulation has a seeded one. */
export type Random = () => number;

/** Not for secrets: its numbers can be predicted. */
export const systemRandom: Random = () => Math.random();
