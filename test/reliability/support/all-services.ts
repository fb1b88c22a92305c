import { expect } from 'vitest';
import { SERVICES, type ServiceName } from '../../../kernel/services.js';
import type { Sandbox } from '../../../sandbox/index.js';
import type { StackResponse } from '../../scenarios/stack.js';
import type { Replica } from './replicas.js';
import { RNAS, ROMES, USER } from './small-world.js';

/** The field of each service in the query, and its value when all is well. */
const FIELDS: Readonly<Record<ServiceName, { readonly name: string; readonly well: unknown }>> = {
  'work-study': { name: 'jobSearch', well: { truncated: false } },
  volunteering: { name: 'organization', well: { title: expect.stringMatching(/^ASSOCIATION \d+$/) } },
  'waste-identity': { name: 'viewer', well: { name: USER.name } },
};

/** The error of a failed field. */
export interface Failed {
  readonly path: readonly (string | number)[] | undefined;
  readonly code: string;
  readonly service: string | undefined;
}

/** One text for all queries, so that it is planned once. */
const QUERY = `query ($romes: [ROMECode!], $rna: RNA) {
  jobSearch(romes: $romes) { truncated }
  organization(rna: $rna) { title }
  viewer { name }
}`;

/** Sends a query to all three services, one call each. Another number makes another query. */
export function sendAll(replica: Pick<Replica, 'send'>, { keys }: Sandbox, number = 0): Promise<StackResponse> {
  const variables = { romes: [ROMES[number]], rna: RNAS[number] };
  return replica.send(QUERY, { variables, headers: { authorization: `Bearer ${keys.waste.token}` } });
}

/** Expects the fields of these services to be null, each with this code at its path, and the others to be intact. */
export function expectFailed(response: StackResponse, services: readonly ServiceName[], code: string): void {
  expect(response.status).toBe(200);
  for (const name of SERVICES)
    expect(response.data[FIELDS[name].name], name).toEqual(services.includes(name) ? null : FIELDS[name].well);
  const byService = (one: Failed, other: Failed) => String(one.service).localeCompare(String(other.service));
  const failed = services.map((service) => ({ path: [FIELDS[service].name], code, service }));
  expect(failuresOf(response).sort(byService)).toEqual(failed.sort(byService));
}

function failuresOf({ errors }: StackResponse): Failed[] {
  return errors.map(({ path, extensions: { code, service } }) => ({ path, code, service }));
}

/** Expects that no address or key reaches a caller, and no key the log. */
export function expectNothingReported({ errors }: StackResponse, { log }: Replica, { keys }: Sandbox): void {
  const reported = JSON.stringify(errors);
  expect(reported).not.toMatch(/127\.0\.0\.1|localhost|ECONN|UND_ERR|https?:/);
  const { workStudy, volunteering, waste } = keys;
  const logged = log.text();
  for (const secret of [workStudy.operator, volunteering.operator, waste.token, waste.client.secret]) {
    expect(reported).not.toContain(secret);
    expect(logged).not.toContain(secret);
  }
}
