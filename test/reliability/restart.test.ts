import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { POLLING } from '../polling.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { RNAS, ROMES } from './support/small-world.js';

/** What one process has cached on disk is there for the process that starts in its place. */

const THREE_DAYS_MS = 72 * 60 * 60_000;
const REFERENCE =
  '{ departements { codeInsee nom } missionsLocales { nom } certifications(rncp: "RNCP37098") { nodes { intitule { rncp } } } }';
const THROWN_AWAY = 'a damaged file of the cache was thrown away';

let replicas: Replicas;
beforeEach(async () => {
  replicas = await openReplicas();
});
afterEach(async () => {
  await replicas.close();
  vi.useRealTimers();
});

/** Files of the cache, once there are this many: they are written in the background. */
function files(count: number): Promise<string[]> {
  return vi.waitFor(async () => {
    const names = await readdir(replicas.cacheDir, { recursive: true });
    const paths = names.map((name) => join(replicas.cacheDir, name));
    const found: string[] = [];
    for (const path of paths) if ((await stat(path)).isFile()) found.push(path);
    expect(found.filter((path) => path.endsWith('.draft'))).toEqual([]);
    expect(found).toHaveLength(count);
    return found;
  }, POLLING);
}

/** Fetches reference data in a first process and ends it; returns their files. */
async function sendOnceAndEnd(): Promise<string[]> {
  const first = await replicas.open();
  const { errors, trace } = await first.send(REFERENCE);
  expect(errors).toEqual([]);
  expect(trace?.totals.callsMade).toBe(3);
  const written = await files(3);
  await first.close();
  for (const { clearCalls } of replicas.sandbox.running) clearCalls();
  return written;
}

async function expectMarkedStale(replica: Replica): Promise<void> {
  const { headers, errors, data } = await replica.send(REFERENCE);
  expect(errors).toEqual([]);
  expect(data.departements).toHaveLength(2);
  expect(headers.get('cache-status')).toMatch(/^passerelle; hit; ttl=-\d+; detail=OUTAGE$/);
}

describe('A restart', () => {
  test('costs nothing: reference data are there, fresh, without a call', async () => {
    await sendOnceAndEnd();
    const second = await replicas.open();
    const { errors, trace, headers } = await second.send(REFERENCE);
    expect(errors).toEqual([]);
    expect(trace?.calls.map(({ cache }) => cache)).toEqual(['HIT', 'HIT', 'HIT']);
    expect(headers.get('cache-status')).toBeNull();
    expect(replicas.sandbox.workStudy.calls).toEqual([]);
  });

  test('while the source is away: what is fresh is given as fresh, what is past its time is given and marked', async () => {
    await sendOnceAndEnd();
    await replicas.sandbox.workStudy.stopListening();
    const fresh = await (await replicas.open()).send(REFERENCE);
    expect(fresh.errors).toEqual([]);
    expect(fresh.headers.get('cache-status')).toBeNull();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + THREE_DAYS_MS });
    await expectMarkedStale(await replicas.open());
    await replicas.sandbox.workStudy.startListening();
  });

  test.each([
    ['cut short', (content: string) => content.slice(0, content.length / 2)],
    ['changed in one place', (content: string) => content.replace('Paris', 'Pariz')],
    ['empty', () => ''],
  ])('with a file that is %s: it is thrown away with one line, and requested again', async (_name, damage) => {
    const written = await sendOnceAndEnd();
    for (const file of written) {
      const content = await readFile(file, 'utf8');
      if (content.includes('Corse-du-Sud')) await writeFile(file, damage(content));
    }
    const second = await replicas.open();
    const { errors, data } = await second.send(REFERENCE);
    expect(errors).toEqual([]);
    expect(data.departements.map(({ nom }: { nom: string }) => nom)).toEqual(['Paris', 'Corse-du-Sud']);
    expect(replicas.sandbox.workStudy.callLines()).toEqual(['GET /api/geographie/v1/departement operator']);
    await second.send(REFERENCE);
    expect(second.log.lines.filter(({ message }) => message === THROWN_AWAY)).toHaveLength(1);
  });

  test('is needless where nothing can be kept: the folder is told as unusable once, and nothing waits for it', async () => {
    const homeless = await replicas.open({ CACHE_DIR: '/proc/nowhere' });
    const workplaces = `{ organizations(first: 1, rna: "${RNAS[0]}") { nodes { workplacesComplete } } }`;
    for (const query of [REFERENCE, REFERENCE, workplaces]) expect((await homeless.send(query)).errors).toEqual([]);
    expect(replicas.sandbox.workStudy.calls.filter(({ url }) => url.includes('/departement'))).toHaveLength(1);
    // If any part waited for the folder, closing would give it up only after half a minute.
    await homeless.close();
    const complaints = homeless.log.lines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(complaints.map(({ message }) => message)).toEqual([
      'the cache folder cannot be used: nothing survives a restart',
    ]);
  });

  test('finds nothing on disk that belongs to a key', async () => {
    const { alice } = replicas.sandbox.keys.workStudy;
    await sendOnceAndEnd();
    const second = await replicas.open();
    await second.send(`{ jobSearch(romes: ["${ROMES[0]}"]) { truncated } organization(rna: "${RNAS[0]}") { title } }`, {
      headers: { 'x-work-study-key': alice },
    });
    await second.close();
    const texts = await Promise.all((await files(3)).map((file) => readFile(file, 'utf8')));
    expect(texts.join()).not.toContain(RNAS[0]);
    for (const secret of [alice, replicas.sandbox.keys.workStudy.operator]) expect(texts.join()).not.toContain(secret);
  });
});
