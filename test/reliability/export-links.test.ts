import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';

/** Where the link to the daily export may lead, and where its file goes without CACHE_DIR. */

const LINK = '/api/job/v1/export';

let replicas: Replicas;
let elsewhere: Server;
let visits: number;
beforeEach(async () => {
  replicas = await openReplicas();
  visits = 0;
  elsewhere = createServer((_request, response) => {
    visits += 1;
    response.end(JSON.stringify([{ workplace: { siret: '73282932000074' } }]));
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await replicas.close();
  elsewhere.close();
});

const port = () => (elsewhere.address() as AddressInfo).port;

/** Starts a replica to which the service sends this link; returns how its load of the export ended. */
async function loaded(url: unknown, env: Record<string, string> = {}) {
  replicas.sandbox.workStudy.fault({ kind: 'wrong-type', path: LINK, set: { '/url': url } });
  const replica = await replicas.open(env);
  replica.warmUp();
  return ended(replica);
}

async function ended(replica: Replica) {
  const { message, fields } = await replica.log.seen((line) => /^export (indexed|not refreshed)/.test(line.message));
  const { err } = fields as { err?: { code: string; message: string } };
  return { message, code: err?.code ?? null, why: err?.message ?? '' };
}

const REFUSED = { message: 'export not refreshed', code: 'UPSTREAM_INVALID_RESPONSE' };

describe('The link to the export', () => {
  test.each([
    ['is empty', ''],
    ['is no address', 'offers.json'],
    ['is no web address', 'file:///etc/passwd'],
    ['leads to the metadata of a cloud', 'http://169.254.169.254/latest/meta-data/'],
    ['leads to another host', 'https://files.example/offers.json'],
    ['leads to a host that only ends like the service’s own', 'https://not-cloud.ovh.net/offers.json'],
  ])('is not followed where it %s, and its failure has a code', async (_where, url) => {
    expect(await loaded(url)).toMatchObject(REFUSED);
  });

  test('is not followed to another port of this machine, and the log names host and variable', async () => {
    const outcome = await loaded(`http://127.0.0.1:${port()}/offers.json`);
    expect(outcome).toMatchObject(REFUSED);
    expect(outcome.why).toContain(`127.0.0.1:${port()}`);
    expect(outcome.why).toContain('WORK_STUDY_EXPORT_HOSTS');
    expect(visits).toBe(0);
  });

  test('is followed to a host that the operator lists', async () => {
    const hosts = { WORK_STUDY_EXPORT_HOSTS: `files.example, 127.0.0.1:${port()}` };
    expect(await loaded(`http://127.0.0.1:${port()}/offers.json`, hosts)).toMatchObject({ message: 'export indexed' });
    expect(visits).toBe(1);
  });

  test('that is empty is shown as it is to a caller who asks for it, without an internal error', async () => {
    replicas.sandbox.workStudy.fault({ kind: 'wrong-type', path: LINK, set: { '/url': '' } });
    const { errors } = await (await replicas.open()).send('{ jobOfferExport { url } }');
    expect(errors.filter(({ extensions }) => extensions.code === 'INTERNAL')).toEqual([]);
  });
});

describe('Without CACHE_DIR', () => {
  test('the log says once, at the start, in which folder the export is', async () => {
    const replica = await replicas.open({ CACHE_DIR: 'off' });
    replica.warmUp();
    expect(await ended(replica)).toMatchObject({ message: 'export indexed' });
    const lines = replica.log.lines.filter(({ message }) => message.includes('CACHE_DIR'));
    expect(lines).toMatchObject([{ level: 'info', fields: { folder: tmpdir() } }]);
  });

  test('nothing is said by a process that loads no export', async () => {
    const { log } = await replicas.open({ CACHE_DIR: 'off' }, 'volunteering');
    expect(log.lines.filter(({ message }) => message.includes('CACHE_DIR'))).toEqual([]);
  });
});
