import { describe, expect, it } from 'vitest';
import { listRows } from '../../../subgraphs/work-study/export/answers.js';
import type { SiretDirectory } from '../../../subgraphs/work-study/export/siret-directory.js';
import { JobOffer } from '../../../subgraphs/work-study/jobs/shapes.js';
import { operationFor } from '../../subgraph-harness.js';
import {
  askedFor,
  BAKERY,
  createService,
  find,
  HOUR,
  ids,
  type ListArguments,
  offer,
  POST_OFFICE,
  storedIn,
  UNKNOWN,
  useDirectories,
  withTotal,
} from '../support/siret-directories.js';

const DAY = 24 * HOUR;

/** Offers with these identifiers, the last the newest. */
const offers = (...wanted: string[]) =>
  wanted.map((id, place) => ({
    identifier: { id, partner_job_id: null, partner_label: 'Hellowork' },
    workplace: { name: 'Boulangerie', siret: BAKERY, location: { address: '1 rue du Four 44000 Nantes' } },
    offer: {
      title: `Boulanger ${id}`,
      status: 'Active',
      publication: { creation: new Date(place * DAY).toISOString() },
    },
  }));

const OFFERS = { kind: 'OFFER', shape: JobOffer, list: 'offers' } as const;

describe('All rows of the export', () => {
  const { reopen, folder } = useDirectories();

  function start(place: string | null = folder(), { service, options } = createService()) {
    return { service, options, directory: reopen({ ...options, folder: place }) };
  }

  async function list(directory: SiretDirectory, args: ListArguments = {}) {
    const { options } = createService();
    const from = { directory, upstream: options, operation: operationFor({}) };
    const page = await withTotal(listRows(from, askedFor(args), OFFERS));
    return { ...page, ids: page.nodes.map(({ identifier }) => identifier?.id) };
  }

  it.each(['in a folder', 'without a folder'])('can be asked once they are indexed, %s', async (where) => {
    const { service, directory } = start(where === 'in a folder' ? folder() : null);
    service.file = JSON.stringify(offers('1', '2', '3'));
    await directory.refreshIfDue();
    expect(await list(directory)).toMatchObject({ ids: ['3', '2', '1'], totalCount: 3, complete: true });
    expect((await list(directory, { text: 'BOULANGÉR 2' })).ids).toEqual(['2']);
    expect((await list(directory, { insee: ['44109'], first: 1 })).ids).toEqual(['3']);
  });

  it('are read but for one of more than 64 kB, whose workplace is incomplete', async () => {
    const { service, directory } = start();
    const [one, long, other] = offers('1', '2', '3');
    service.file = JSON.stringify([one, { ...long, more: 'x'.repeat(64 * 1024) }, other]);
    await directory.refreshIfDue();
    expect(await list(directory)).toMatchObject({ ids: ['3', '1'], totalCount: 2, complete: false });
    expect((await find(directory, BAKERY))?.map((row) => row !== null)).toEqual([true, false, true]);
  });

  it('are there again after a restart, without a download and without being indexed again', async () => {
    const { service, options, directory } = start();
    service.file = JSON.stringify(offers('1', '2'));
    await directory.refreshIfDue();
    await directory.close();
    const before = await storedIn(folder());
    const again = start(folder(), { service, options });
    await again.directory.refreshIfDue();
    expect((await list(again.directory)).ids).toEqual(['2', '1']);
    expect(service.requests.files).toBe(1);
    expect(await storedIn(folder())).toEqual(before);
  });

  it('are replaced as a whole, and a cursor of the old export says so', async () => {
    const { service, directory } = start();
    service.file = JSON.stringify(offers('1', '2', '3'));
    await directory.refreshIfDue();
    const { pageInfo } = await list(directory, { first: 1 });
    service.file = JSON.stringify(offers('4', '5', '6'));
    service.lastUpdate = '2025-06-27T08:28:05.000Z';
    service.nowMs += 2 * HOUR;
    await directory.refreshIfDue();
    expect(await list(directory)).toMatchObject({ ids: ['6', '5', '4'], asOf: service.lastUpdate });
    const stale = list(directory, { first: 1, after: pageInfo.endCursor() });
    await expect(stale).rejects.toMatchObject({ extensions: { code: 'CURSOR_EXPIRED' } });
    expect(await storedIn(folder())).toHaveLength(1);
  });

  it('stay those of the export in use for three days if the new one has less than half of them', async () => {
    const { service, directory } = start();
    const many = Array.from({ length: 100 }, (_, place) => String(place));
    service.file = JSON.stringify(offers(...many));
    await directory.refreshIfDue();
    service.file = JSON.stringify(offers('4'));
    service.lastUpdate = '2025-06-27T08:28:05.000Z';
    for (let hour = 0; hour < 3; hour++) {
      service.nowMs += 2 * HOUR;
      await directory.refreshIfDue();
    }
    expect((await list(directory)).totalCount).toBe(100);
    expect(ids(await find(directory, BAKERY))).toEqual(many);
    expect(service.requests.files).toBe(2);
    service.lastUpdate = '2025-06-30T08:28:05.000Z';
    service.nowMs += 4 * DAY;
    await directory.refreshIfDue();
    expect((await list(directory)).ids).toEqual(['4']);
  });

  it('are read for several SIRETs together as for each alone', async () => {
    const { directory } = start();
    await directory.refreshIfDue();
    const found = await directory.findAll([BAKERY, POST_OFFICE, UNKNOWN], operationFor({}));
    const [bakery, office, unknown] = found as (readonly unknown[])[];
    expect(ids(bakery ?? null)).toEqual(['1', '4', '5']);
    expect(ids(office ?? null)).toEqual(['2']);
    expect(unknown).toEqual([]);
    expect(await find(directory, BAKERY)).toEqual(bakery);
  });

  it('are refused to a request that would read more than 32 MB of them, which may still read others', async () => {
    const { service, options, directory } = start();
    const many = offers(...Array.from({ length: 11_000 }, (_, place) => String(place)));
    service.file = JSON.stringify([...many, offer('other', POST_OFFICE)]);
    await directory.refreshIfDue();
    const [bakery, office] = await directory.findAll([BAKERY, POST_OFFICE], operationFor({}));
    expect(bakery).toMatchObject({ extensions: { code: 'COST_EXCEEDED' } });
    expect(ids(office as readonly unknown[])).toEqual(['other']);
    const read = (request: object) =>
      listRows({ directory, upstream: options, operation: operationFor({ request }) }, { first: 1000 }, OFFERS);
    const request = {};
    for (let pages = 0; pages < 10; pages++) expect((await read(request)).nodes).toHaveLength(1000);
    await expect(read(request)).rejects.toMatchObject({ extensions: { code: 'COST_EXCEEDED' } });
    expect((await read({})).nodes).toHaveLength(1000);
  });

  it('are read no further once whoever asked has left', async () => {
    const { service, directory } = start();
    service.file = JSON.stringify(offers(...Array.from({ length: 500 }, (_, place) => String(place))));
    await directory.refreshIfDue();
    const leaving = new AbortController();
    const reading = directory.findAll([BAKERY], operationFor({ signal: leaving.signal }));
    leaving.abort(new Error('left'));
    await expect(reading).rejects.toThrow('left');
    expect(await find(directory, BAKERY)).toHaveLength(500);
    expect(service.warnings).toBe(0);
  });

  it('are not found under two hundred labels that are like none of hundreds', async () => {
    const { service, directory } = start();
    const partners = Array.from({ length: 400 }, (_, place) => `Partenaire ${place}`);
    service.file = JSON.stringify(
      offers(...partners).map((row) => ({
        ...row,
        identifier: { ...row.identifier, partner_label: row.identifier.id },
      })),
    );
    await directory.refreshIfDue();
    const labels = Array.from({ length: 200 }, (_, place) => `${place} mmmmmmmmmmmm`);
    expect(await list(directory, { partner: labels })).toMatchObject({ totalCount: 0 });
    const near = list(directory, { partner: [...labels.slice(1), 'partenaire-40x'] });
    await expect(near).rejects.toThrow('where.partner has a label that the export does not have');
  });

  it('are found by their labels and codes as far as these have the size of any', async () => {
    const { service, directory } = start();
    const [one, other] = offers('1', '2');
    const romes = Array.from({ length: 400 }, (_, place) => `M${1000 + place}`);
    service.file = JSON.stringify([
      one,
      {
        ...other,
        identifier: { id: '2', partner_label: 'x'.repeat(3000) },
        offer: { ...other?.offer, rome_codes: romes },
      },
    ]);
    await directory.refreshIfDue();
    expect((await list(directory, { rome: ['M1019'] })).ids).toEqual(['2']);
    expect((await list(directory, { rome: ['M1020'] })).ids).toEqual([]);
    expect((await list(directory, { partner: ['x'.repeat(200)] })).ids).toEqual(['2']);
    expect(service.drifts).toEqual(['JobOffer export[]']);
  });

  it('are refused with a code while there is no export', async () => {
    const { service, directory } = start();
    service.beforeLink = () => Promise.reject(new Error('down'));
    await directory.refreshIfDue();
    await expect(list(directory)).rejects.toMatchObject({ extensions: { code: 'GATEWAY_UNAVAILABLE' } });
  });
});
