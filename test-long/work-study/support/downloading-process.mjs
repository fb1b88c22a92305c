import { SiretDirectory } from '../../../dist/subgraphs/work-study/export/siret-directory.js';

/** Downloads an export into a folder: sends `stuck` after the first megabyte, and completes it once it gets a message. */

const [, , folder = ''] = process.argv;
const row = { workplace: { siret: '73282932000074' }, offer: { description: 'x'.repeat(1_000_000) } };
const [first, last] = [`[${JSON.stringify(row)},`, `${JSON.stringify(row)}]`];

const goOn = new Promise((resolve) => process.once('message', () => resolve()));

const directory = new SiretDirectory({
  exportLink: async () => ({ url: 'https://storage.example/', lastUpdate: '2025-06-26T12:00:00.000Z' }),
  async *download() {
    yield Buffer.from(first);
    process.send?.('stuck');
    await goOn;
    yield Buffer.from(last);
  },
  folder,
  origin: { service: 'work-study', drift: () => {} },
  clock: {
    monotonicMs: () => performance.now(),
    wallMs: () => Date.now(),
    after: () => () => {},
    soon: (task) => task(),
  },
  log: { debug: () => {}, info: () => {}, warn: (fields) => console.error(fields), error: () => {} },
});
await directory.warmUp();
process.send?.(directory.state());
await directory.close();
process.disconnect();
