/** The counter of all calls from our address, as `figures().quotas` names it. */
export const HOST = 'host';
