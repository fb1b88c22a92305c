import { describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

interface Seat {
  readonly id: string;
  readonly addressInseeCode: string | null;
  readonly commune: { readonly departement: { readonly codeInsee: string } } | null;
}

/** The rows of all pages. */
async function walk(stack: Stack, argument = ''): Promise<Seat[]> {
  const rows: Seat[] = [];
  for (let after = ''; ; ) {
    const { data, errors } = await stack.send(`{ organizations(first: 100${argument}${after}) {
      nodes { id addressInseeCode commune { departement { codeInsee } } } pageInfo { hasNextPage endCursor }
    } }`);
    expect(errors).toEqual([]);
    rows.push(...data.organizations.nodes);
    if (!data.organizations.pageInfo.hasNextPage) return rows;
    after = `, after: "${data.organizations.pageInfo.endCursor}"`;
  }
}

const departmentOf = ({ commune }: Seat) => commune?.departement.codeInsee;
const idsOf = (rows: readonly Seat[]) => rows.map(({ id }) => id).sort();

// Concurrent: each mostly waits until the pace of calls lets it read the communes of the whole register.
describe.concurrent.each(USUAL_SHAPE)('Organizations by département, %s', (shape) => {
  test('are those whose commune is in it, each once, also where the register writes a code from before 1968', async ({
    onTestFinished,
  }) => {
    const stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    onTestFinished(() => stack.close());
    const all = await walk(stack);
    const codesOf = (department: string) =>
      all.flatMap((row) => (departmentOf(row) === department ? [row.addressInseeCode ?? ''] : []));
    expect(codesOf('94')).toContainEqual(expect.stringMatching(/^75/));
    expect(codesOf('95')).toContainEqual(expect.stringMatching(/^78/));
    for (const department of ['75', '94', '95']) {
      stack.forgetCalls();
      const rows = await walk(stack, `, department: "${department}"`);
      const expected = all.filter((row) => departmentOf(row) === department);
      expect(expected.length).toBeGreaterThan(0);
      expect(idsOf(rows)).toEqual(idsOf(expected));
      // Everything else is cached: the whole register has just been read.
      expect(stack.calls()).toEqual([`volunteering GET /v0/organization?q=W${department}&limit=100 operator`]);
    }
  });
});
