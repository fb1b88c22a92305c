import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listRows } from '../../../subgraphs/work-study/export/answers.js';
import { SiretDirectory } from '../../../subgraphs/work-study/export/siret-directory.js';
import { JobOffer } from '../../../subgraphs/work-study/jobs/shapes.js';
import { operationFor } from '../../subgraph-harness.js';
import { temporaryFolder } from '../../temporary-folder.js';
import { BAKERY, createService, withTotal } from '../support/siret-directories.js';

const ROWS = 4_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60 * 1000;

/** Offers in the order of their creation, every third of which expires, one a second after noon. */
const offers = Array.from({ length: ROWS }, (_, row) => ({
  identifier: { id: String(row), partner_label: 'Hellowork' },
  workplace: { siret: BAKERY },
  offer: {
    title: 'Boulanger',
    status: 'Active',
    publication: {
      creation: new Date(NOON - (ROWS - row) * MINUTE).toISOString(),
      expiration: row % 3 === 0 ? new Date(NOON + (row / 3) * 1000).toISOString() : null,
    },
  },
}));

const NEWEST_FIRST = offers.map((_, row) => row).reverse();
const opensAt = (nowMs: number) => (row: number) => row % 3 !== 0 || NOON + (row / 3) * 1000 > nowMs;

describe('Many rows', () => {
  let directory: SiretDirectory;

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    const { service, options } = createService();
    service.file = JSON.stringify(offers);
    directory = new SiretDirectory({ ...options, folder: temporaryFolder() });
    await directory.refreshIfDue();
  });
  afterAll(async () => {
    vi.useRealTimers();
    await directory.close();
  });

  async function list(args: Parameters<typeof listRows>[1]) {
    const from = { directory, upstream: createService().options, operation: operationFor({}) };
    const page = await withTotal(
      listRows(from, { first: 1000, ...args }, { kind: 'OFFER', shape: JobOffer, list: 'offers' }),
    );
    const rows = page.nodes.map((node) => Number(node.identifier?.id));
    return { rows, total: page.totalCount, after: page.pageInfo.hasNextPage ? page.pageInfo.endCursor() : null };
  }

  async function walk(args: Parameters<typeof listRows>[1]): Promise<number[]> {
    const { rows, after } = await list(args);
    return after === null ? rows : [...rows, ...(await walk({ ...args, after }))];
  }

  it('are those that are open when a list is first asked for, on all of its pages', async () => {
    const isOpen = opensAt(NOON);
    const { rows, after, total } = await list({});
    expect(total).toBe(NEWEST_FIRST.filter(isOpen).length);
    for (const minutes of [1, 2, 60]) {
      vi.setSystemTime(NOON + minutes * MINUTE);
      const later = NEWEST_FIRST.filter(opensAt(Date.now()));
      expect(await list({})).toMatchObject({ rows: later.slice(0, 1000), total: later.length });
    }
    expect([...rows, ...(await walk({ after }))]).toEqual(NEWEST_FIRST.filter(isOpen));
  });
});
