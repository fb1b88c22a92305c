import { afterEach, describe, expect, it } from 'vitest';
import { workStudyDialect } from '../../../subgraphs/work-study/dialect.js';
import { exportRequests } from '../../../subgraphs/work-study/export/export-link.js';
import { SiretDirectory } from '../../../subgraphs/work-study/export/siret-directory.js';
import { createFakeTransport } from '../../rest/support/fake-transport.js';
import { createToolkit } from '../../rest/support/toolkit.js';
import { createVirtualClock } from '../../rest/support/virtual-clock.js';
import { rows } from '../support/siret-directories.js';

/** The export of a process that starts while Redis is away, and assumes three others that it cannot ask. */

const MINUTES = 6;
const BASE = 'https://work-study.example/api';

const open: SiretDirectory[] = [];
afterEach(async () => {
  for (const directory of open.splice(0)) await directory.close();
});

/** A process whose id comes from this number between 0 and 1. */
function start(random: number) {
  const clock = createVirtualClock();
  const wire = createFakeTransport();
  wire.respond = () => ({ body: { url: `${BASE}/file`, lastUpdate: '2025-06-26T08:28:05.000Z' } });
  async function* body() {
    yield Buffer.from(JSON.stringify(rows));
  }
  const transport = { ...wire, open: async () => ({ status: 200, headers: {}, body: body() }) };
  const upstream = createToolkit(
    BASE,
    { service: 'work-study', dialect: workStudyDialect },
    {
      clock,
      transport,
      random: () => random,
      sharedQuota: () => ({ change: () => Promise.reject(new Error('away')) }),
    },
  );
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const requests = exportRequests(upstream, { baseUrl: BASE, hosts: [] });
  const directory = new SiretDirectory({
    ...requests,
    clock,
    folder: null,
    log,
  });
  open.push(directory);
  return { clock, directory, links: () => wire.sent.length };
}

describe('a process that starts while Redis is away', () => {
  it.each([0.1, 0.9])('has its export within a few minutes, by a single call (%d)', async (random) => {
    const { clock, directory, links } = start(random);
    void directory.warmUp();
    for (let second = 0; second < MINUTES * 60 && links() === 0; second += 1) await clock.advance(1_000);
    expect(links()).toBe(1);
    await directory.refreshIfDue();
    expect(directory.state()).toBe('ready');
    await clock.advance(30 * 60_000);
    expect(links()).toBe(1);
  });
});
