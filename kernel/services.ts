/** The three services, by the names used everywhere: in traces, errors, `sources`, `/readyz`, metrics and logs. */
export const SERVICES = ['work-study', 'waste-identity', 'volunteering'] as const;

/** One of the three public services; subgraphs and configuration use the same name. */
export type ServiceName = (typeof SERVICES)[number];

/** Where a service's data come from: its real servers, the sandbox, or nowhere because it is not configured. */
export type UpstreamMode = 'real' | 'sandbox' | 'off';

/** State of one source as `/readyz` and the graph's `sources` report it. */
export type SourceState = 'UP' | 'LOADING' | 'DEGRADED' | 'DOWN' | 'OFF';
