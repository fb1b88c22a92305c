import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { POLLING } from '../polling.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { RNAS, ROMES } from './support/small-world.js';

/** What one process has cached on disk is there for the process that starts in its place. */

const THREE_DAYS_MS = 72 * 60 * 60_000;
const REFERENCE =
  '{ departements { codeInsee nom } missionsLocales { nom } certifications(rncp: "RNCP37098") { nodes { intitule { rncp } } } }';
const SET_ASIDE = 'the file of cached entries is set aside: it is damaged, or foreign';

let replicas: Replicas;
beforeEach(async () => {
  replicas = await openReplicas();
});
afterEach(async () => {
  await replicas.close();
  vi.useRealTimers();
});

const entriesFile = () => join(replicas.cacheDir, 'entries.db');

/** Resolves once so many entries are in the file: they are written in the background. */
async function written(count: number): Promise<void> {
  await vi.waitFor(() => {
    const file = new Database(entriesFile(), { readonly: true });
    const rows = file.prepare('select key from entry').all();
    file.close();
    expect(rows).toHaveLength(count);
  }, POLLING);
}

/** Fetches reference data in a first process and ends it. */
async function sendOnceAndEnd(): Promise<void> {
  const first = await replicas.open();
  const { errors, trace } = await first.send(REFERENCE);
  expect(errors).toEqual([]);
  expect(trace?.totals.callsMade).toBe(3);
  await written(3);
  await first.close();
  for (const { clearCalls } of replicas.sandbox.running) clearCalls();
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

  test('with a damaged file: it is set aside with one line, and all is requested again', async () => {
    await sendOnceAndEnd();
    await writeFile(entriesFile(), 'no database'.repeat(1000));
    const second = await replicas.open();
    for (const calls of [3, 0]) {
      const { errors, data, trace } = await second.send(REFERENCE);
      expect([errors, trace?.totals.callsMade]).toEqual([[], calls]);
      expect(data.departements.map(({ nom }: { nom: string }) => nom)).toEqual(['Paris', 'Corse-du-Sud']);
    }
    expect(second.log.lines.filter(({ message }) => message === SET_ASIDE)).toHaveLength(1);
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
    const text = await readFile(entriesFile(), 'latin1');
    expect(text).toContain('Corse-du-Sud');
    for (const secret of [RNAS[0], alice, replicas.sandbox.keys.workStudy.operator]) expect(text).not.toContain(secret);
  });
});
