import { afterAll, expect, test } from 'vitest';
import { MAX_SCANS } from '../../subgraphs/volunteering/organizations/loaders.js';
import { ONE_SHAPE, startStack } from './stack.js';

interface Workplace {
  readonly siret: string | null;
  readonly organization: { readonly id: string } | null;
  readonly organizationUnknown: string | null;
}

/** Employers of a search, as large as one that was once cut off by its deadline. */
const EMPLOYERS = 329;
/** Milliseconds of the sandbox's model: of a call that finds by a code, and of a scan (volunteering 6.1). */
const CALL_MS = 8;
const SCAN_MS = 190;

const stack = await startStack({
  shape: ONE_SHAPE,
  sandbox: { employersKnown: 0.03, volunteering: { timing: true } },
});
afterAll(() => stack.close());

test('organizations of three hundred employers come with few scans, in the time of one call for each unit', async () => {
  const { data, errors } = await stack.send(
    '{ exportedOffers(first: 500) { nodes { workplace { siret organization { id } organizationUnknown } } } }',
  );
  expect(errors).toEqual([]);
  const workplaces: Workplace[] = data.exportedOffers.nodes.map(({ workplace }: { workplace: Workplace }) => workplace);
  const sirets = new Set(workplaces.flatMap(({ siret }) => siret ?? []));
  expect(sirets.size).toBeGreaterThanOrEqual(EMPLOYERS);

  const calls = stack.calls();
  const scans = calls.filter((line) => line.includes('?siret=')).length;
  expect(scans).toBeLessThanOrEqual(MAX_SCANS);
  expect(calls.length - scans).toBeLessThanOrEqual(sirets.size);
  expect((calls.length * CALL_MS + scans * SCAN_MS) * (EMPLOYERS / sirets.size)).toBeLessThan(5_000);

  // The register has duplicates (volunteering 9).
  const registered = new Map<string, unknown[]>();
  for (const { _id, sirets: own } of stack.sandbox.world.organizations) {
    for (const siret of own as string[]) registered.set(siret, [...(registered.get(siret) ?? []), _id]);
  }
  const found = workplaces.filter(({ organization }) => organization !== null);
  expect(found.length).toBeGreaterThan(0);
  for (const { siret, organization, organizationUnknown } of workplaces) {
    if (organizationUnknown === null) expect(registered.get(siret ?? '') ?? [null]).toContain(organization?.id ?? null);
    else expect([organization, organizationUnknown]).toEqual([null, siret ? 'TOO_MANY' : 'NO_SIRET']);
    // What the register finds by its SIREN is never left out.
    if (organizationUnknown === 'TOO_MANY') expect(registered.has(siret ?? '')).toBe(false);
  }
});
