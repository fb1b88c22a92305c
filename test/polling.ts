/**
 * For `vi.waitFor` and `expect.poll`, where something comes about behind the responses. It ends the wait for what never
 * comes and asserts nothing, so it is longer than any machine takes.
 */
export const POLLING = { timeout: 120_000, interval: 50 };
