import { afterAll, beforeAll, vi } from 'vitest';

/** For the tests of a file: the wait before a second try, a matter of chance, is always the shortest that may be drawn. */
export function shortestSecondTries(): void {
  beforeAll(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
  afterAll(() => void vi.restoreAllMocks());
}
