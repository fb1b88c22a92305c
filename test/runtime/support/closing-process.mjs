import { createLifecycle } from '../../../dist/runtime/process/lifecycle.js';
import { createLog } from '../../../dist/runtime/process/logging.js';

/** A process that waits for a signal to end. */
const lifecycle = createLifecycle(createLog({ level: 'info', pretty: false, into: process.stdout }));
const open = setInterval(() => {}, 1000);
lifecycle.opened('part', async () => {
  clearInterval(open);
  process.stdout.write('part closed\n');
});
lifecycle.ready();
lifecycle.closeOnSignals();
process.send?.('ready');
