/**
 * For `vi.waitFor` and `expect.poll`, when something happens in the background. The timeout ends the wait for what
 * never happens and asserts nothing, so it is longer than any machine takes.
 */
export const POLLING = { timeout: 120_000, interval: 50 };
