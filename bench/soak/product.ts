import type { Log } from '../../kernel/log.js';
import { start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { measure } from './figures.js';

/**
 * The product in a process of its own: reports its address, measures itself on request, and counts its warnings and
 * errors.
 */
const said = new Map<string, number>();
const count = (level: string) => (_fields: object, message: string) => {
  const line = `${level}: ${message}`;
  said.set(line, (said.get(line) ?? 0) + 1);
};
const log: Log = { debug: () => {}, info: () => {}, warn: count('warn'), error: count('error') };
process.on('warning', ({ name, message }) => count('warning')({}, `${name} ${message}`));

const running = await start(readConfiguration('all'), log);
process.on('message', async (command) => {
  if (command === 'close') {
    await running.close();
    process.exit(0);
  }
  if (command === 'measure') process.send?.({ figures: await measure(), said: [...said] });
  if (command === 'glance') process.send?.({ rssMb: process.memoryUsage.rss() / 1e6 });
});
process.send?.({ url: running.url });
