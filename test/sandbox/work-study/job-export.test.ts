import { describe, expect, it } from 'vitest';
import { workStudyKeys } from '../../../sandbox/work-study/http/callers.js';
import { startWorkStudy } from '../../../sandbox/work-study/index.js';
import { hasLuhnSiret } from '../../../sandbox/work-study/reference/identifiers.js';
import { offer, recruiter, storeId } from '../../work-study/support/records.js';
import { tinyWorld } from '../../work-study/support/tiny-world.js';
import { fetchRaw } from '../raw.js';
import { NOW, startedWorkStudy } from './started.js';

const world = tinyWorld({
  offers: [
    offer({ id: storeId(1), label: 'Hellowork' }),
    offer({ id: storeId(2) }),
    offer({ id: storeId(3), offer: { status: 'Filled' } }),
    offer({ id: storeId(4), offer: { publication: { creation: null, expiration: '2026-08-31T00:00:00.000Z' } } }),
  ],
  recruiters: [recruiter(storeId(20))],
});
const { service, get } = await startedWorkStudy({ world });

interface Row {
  readonly identifier: { readonly id: string; readonly partner_label: string };
  readonly workplace: { readonly siret: string | null };
  readonly offer: { readonly description: string };
}

const link = async (): Promise<{ url: string; lastUpdate: string }> => (await get('/job/v1/export')).json();
const rows = async () => (await fetchRaw((await link()).url)).json();

describe('the export (work-study 7.6)', () => {
  it('gives a signed link and the time of last night’s rebuilding, 3 o’clock in Paris', async () => {
    const { url, lastUpdate } = await link();
    expect(lastUpdate).toBe('2026-09-01T01:00:00.000Z');
    expect(url).toContain('X-Amz-Algorithm=AWS4-HMAC-SHA256');
    expect(url.startsWith(service.url)).toBe(false);
  });

  it('is one flat array of offers, own ones last, likely recruiters among them, expired ones too', async () => {
    const ids = (await rows()).map(({ identifier }: Row) => [identifier.id, identifier.partner_label]);
    expect(ids).toEqual([
      [storeId(1), 'Hellowork'],
      [storeId(20), 'recruteurs_lba'],
      [storeId(2), 'offres_emploi_lba'],
      [storeId(4), 'offres_emploi_lba'],
    ]);
  });

  it('of the real size repeats the rows in their order, each time with other identifiers and employers', async () => {
    const large = await startWorkStudy({
      world: { ...world, exported: { offers: 30, recruiters: 40 } },
      now: () => NOW,
    });
    const { url } = (
      await fetchRaw(`${large.url}/job/v1/export`, { headers: { authorization: `Bearer ${workStudyKeys.alice}` } })
    ).json();
    const all: Row[] = (await fetchRaw(url)).json();
    await large.close();
    const labels = all.map(({ identifier }) => identifier.partner_label);
    const runs = [labels.slice(0, 10), labels.slice(10, 50), labels.slice(50)];
    expect(runs.map((run) => [...new Set(run)].join())).toEqual(['Hellowork', 'recruteurs_lba', 'offres_emploi_lba']);
    expect([labels.length, new Set(all.map(({ identifier }) => identifier.id)).size]).toEqual([70, 70]);
    const sirets = all.slice(10, 50).map(({ workplace }) => String(workplace.siret));
    expect([new Set(sirets).size, sirets.every(hasLuhnSiret)]).toEqual([40, true]);
  });

  it('shows an offer as the search shows it', async () => {
    const found = (await get('/job/v1/search')).json().jobs[0];
    expect((await rows()).find(({ identifier }: Row) => identifier.id === found.identifier.id)).toEqual(found);
  });

  it('is streamed without compression and is not to be stored', async () => {
    const { url } = await link();
    const { headers } = await fetchRaw(url, { headers: { 'accept-encoding': 'gzip' } });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      'cache-control': 'no-cache, no-store, must-revalidate',
    });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it('refuses a link with a key, a changed one and one older than 120 s', async () => {
    const { url } = await link();
    const withKey = await fetchRaw(url, { headers: { authorization: 'Bearer anything' } });
    expect([withKey.status, withKey.headers['content-type'], withKey.text.includes('InvalidArgument')]).toEqual([
      400,
      'application/xml',
      true,
    ]);
    expect((await fetchRaw(url.replace(/X-Amz-Signature=./, 'X-Amz-Signature=z'))).status).toBe(403);
    service.advance(119_000);
    expect((await fetchRaw(url)).status).toBe(200);
    service.advance(1000);
    const expired = await fetchRaw(url);
    expect([expired.status, expired.text.includes('Request has expired')]).toEqual([403, true]);
  });

  it('is rebuilt every night and when the sandbox is told to', async () => {
    const before = (await link()).lastUpdate;
    service.rebuildExport();
    const moved = (await link()).lastUpdate;
    expect(Date.parse(moved)).toBeGreaterThan(Date.parse(before));
    service.advance(24 * 60 * 60_000);
    expect(Date.parse((await link()).lastUpdate)).toBeGreaterThan(Date.parse(moved));
  });
});

describe('an export with repeated offers', () => {
  it('has some of its offers once more, from another partner, with another identifier', async () => {
    const offersIn = async (): Promise<Row[]> => JSON.parse((await fetchRaw((await link()).url)).text);
    const before = await offersIn();
    service.repeatOffers(10);
    const after = await offersIn();
    expect(after.slice(0, before.length)).toEqual(before);
    const ids = new Set(after.map(({ identifier }) => identifier.id));
    expect([ids.size, after.length > before.length]).toEqual([after.length, true]);
  });
});

describe('an export of any length', () => {
  it('has two rows a SIRET with right check digits, and texts that mislead a careless reader', async () => {
    service.useHugeExport(1000);
    const { text } = await fetchRaw((await link()).url);
    const offers: Row[] = JSON.parse(text);
    const sirets = offers.map(({ workplace }) => workplace.siret).filter((siret) => siret !== null);
    expect(offers).toHaveLength(1000);
    expect(new Set(sirets).size).toBeGreaterThanOrEqual(499);
    expect(sirets.every((siret) => hasLuhnSiret(siret ?? ''))).toBe(true);
    expect(offers[0]?.offer.description).toContain('"siret": "00000000000000"');
    expect(text).toContain('\\"siret\\"');
    expect(text.length / 1000).toBeGreaterThan(3000);
  });
});
