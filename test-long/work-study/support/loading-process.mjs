import { SiretDirectory } from '../../../dist/subgraphs/work-study/export/siret-directory.js';
import { generation } from '../../../test/work-study/support/generation.mjs';

/**
 * Loads a generation of an export into a folder, and sends a message at each moment of the load. With `stuck` it says so
 * before the last piece, and waits there for a message.
 */

const [, , folder = '', number = '1', stuck] = process.argv;
const file = Buffer.from(JSON.stringify(generation(Number(number))));
const goOn = new Promise((resolve) => process.once('message', resolve));

const directory = new SiretDirectory({
  exportLink: async () => ({
    url: 'https://storage.example/',
    lastUpdate: new Date(Date.UTC(2026, 0, Number(number))).toISOString(),
  }),
  async *download(_url, _signal, onLength) {
    onLength?.(file.length);
    for (let from = 0; from < file.length; from += 16_384) {
      process.send?.('received');
      if (stuck && from + 16_384 >= file.length) {
        process.send?.('stuck');
        await goOn;
      }
      yield file.subarray(from, from + 16_384);
    }
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
let share = null;
const look = setInterval(() => {
  if (share !== directory.progress()) process.send?.('on');
  share = directory.progress();
}, 1);
await directory.refreshIfDue();
clearInterval(look);
process.send?.('loaded');
await directory.close();
process.disconnect();
