import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectCallsMade, type Stack, startStack, USUAL_SHAPE } from './stack.js';

const QUERY = `{
  missions(first: 100) {
    nodes {
      id
      title
      commune { code { insee } nom departement { codeInsee nom } }
      organization { id siret workplaces { siret name } workplacesComplete }
    }
  }
}`;

interface Node {
  readonly id: string;
  readonly commune: { readonly code: { readonly insee: string } } | null;
  readonly organization: {
    readonly siret: string | null;
    readonly workplaces: { readonly siret: string }[];
    readonly workplacesComplete: boolean;
  } | null;
}

describe.each(USUAL_SHAPE)(
  'A hundred missions with communes, departments, organizations and workplaces, %s',
  (shape) => {
    let stack: Stack;
    beforeAll(async () => {
      stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    });
    afterAll(() => stack.close());

    test('cost one list, and one look-up for each distinct commune and organization', async () => {
      stack.forgetCalls();
      const { data, errors, trace } = await stack.send(QUERY);
      expect(errors).toEqual([]);
      const nodes = data.missions.nodes as Node[];
      expect(nodes).toHaveLength(100);

      const calls = stack.calls();
      expect(new Set(calls).size, 'no call is made twice').toBe(calls.length);
      expect(calls.filter((line) => line.startsWith('volunteering GET /v0/mission?'))).toHaveLength(1);
      const communes = calls.filter((line) => line.startsWith('work-study GET /api/geographie/v1/commune/search?'));
      const organizations = calls.filter((line) => line.startsWith('volunteering GET /v0/organization?'));
      expect(communes).toHaveLength(new Set(nodes.flatMap(({ commune }) => commune?.code.insee ?? [])).size);
      expect(calls).toHaveLength(1 + communes.length + organizations.length);
      expect(organizations).toEqual([...expectedLookUps(stack, nodes)].sort());
      expectCallsMade(trace, calls.length);
    });

    test('name the commune where the mission really is', async () => {
      const { data } = await stack.send(QUERY);
      const { truth } = stack.sandbox.world;
      for (const { id, commune } of data.missions.nodes as Node[]) {
        const { insee, resolvable } = truth.get(id) ?? { insee: null, resolvable: false };
        if (resolvable) expect(commune?.code.insee ?? null, id).toBe(insee);
      }
    });

    test('list exactly the workplaces that the export has for the SIRET', async () => {
      const { data } = await stack.send(QUERY);
      const { offers, recruiters } = stack.sandbox.world;
      // The export has active offers and all likely recruiters (work-study 7.6).
      const active = offers.filter((row) => (row['offer'] as { status: string }).status === 'Active');
      const employers = new Set([...active, ...recruiters].map((row) => (row['workplace'] as { siret: string }).siret));
      for (const { organization } of data.missions.nodes as Node[]) {
        if (organization === null) continue;
        expect(organization.workplacesComplete).toBe(true);
        if (organization.siret === null || !employers.has(organization.siret)) continue;
        expect(organization.workplaces.map(({ siret }) => siret)).toContain(organization.siret);
      }
    });

    test('asked again cost nothing: all of it is kept', async () => {
      await stack.send(QUERY);
      stack.forgetCalls();
      const { data, errors } = await stack.send(QUERY);
      expect(errors).toEqual([]);
      expect(data.missions.nodes).toHaveLength(100);
      expect(stack.calls()).toEqual([]);
    });

    test('a field that is not selected costs nothing', async () => {
      stack.forgetCalls();
      await stack.send('{ missions(first: 7) { nodes { id title } } }');
      expect(stack.calls()).toHaveLength(1);
    });
  },
);

/** The look-ups by RNA or SIRET that the missions need, according to the sandbox's data. */
function expectedLookUps({ sandbox }: Stack, nodes: readonly Node[]): Set<string> {
  const rows = new Map(sandbox.world.missions.map((row) => [row['_id'], row]));
  return new Set(
    nodes.flatMap(({ id }) => {
      const { organizationRNA: rna, organizationSiren: siren } = rows.get(id) ?? {};
      // A malformed RNA is useless, so the SIRET is used instead.
      if (typeof rna === 'string' && /^W[0-9A-Z]{9}$/.test(rna)) {
        return [`volunteering GET /v0/organization?rna=${rna}&limit=100 operator`];
      }
      return typeof siren === 'string' && /^\d{14}$/.test(siren)
        ? [`volunteering GET /v0/organization?q=${siren.slice(0, 9)}&limit=100 operator`]
        : [];
    }),
  );
}
