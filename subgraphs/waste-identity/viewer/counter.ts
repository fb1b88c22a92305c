/** The counter of all calls from our address, by its name in `figures().quotas`. */
export const HOST = 'host';
