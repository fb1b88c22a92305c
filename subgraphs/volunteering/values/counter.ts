/** The price of a field that makes one call. All calls of a key fall under one counter. */
export const ONE_CALL = { scope: 'all routes' } as const;
