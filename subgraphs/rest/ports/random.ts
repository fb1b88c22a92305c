/** Chance, as the toolkit sees it: a number from 0 up to but without 1. The simulation brings a seeded one. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();
