import { afterAll, beforeAll, vi } from 'vitest';

/** Makes the random wait before a retry always the shortest possible, for the tests of a file. */
export function shortestSecondTries(): void {
  beforeAll(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
  afterAll(() => void vi.restoreAllMocks());
}
