import type { ServiceName } from '../../kernel/services.js';

/** A root field to request, with arguments for which both the real service and the sandbox have data. */
export interface Probe {
  readonly field: string;
  /** `RNCP` stands for the code of a certification that the service has. */
  readonly args: string;
}

/**
 * The probes of each service: few calls, which together return every kind of object it sends without being written to.
 */
export const PROBES: Readonly<Record<ServiceName, readonly Probe[]>> = {
  'work-study': [
    { field: 'departements', args: '' },
    { field: 'communes', args: '(code: "33000")' },
    { field: 'missionsLocales', args: '(latitude: 48.85, longitude: 2.35, radius: 50)' },
    { field: 'certifications', args: '(rncp: "RNCP")' },
    { field: 'jobSearch', args: '(latitude: 48.85, longitude: 2.35, radius: 50)' },
    { field: 'formations', args: '(first: 10)' },
    { field: 'organismes', args: '(first: 10)' },
  ],
  volunteering: [
    { field: 'missions', args: '(first: 25)' },
    { field: 'missionSearch', args: '(first: 25)' },
    { field: 'organizations', args: '(first: 25)' },
  ],
  'waste-identity': [{ field: 'viewer', args: '' }],
};
