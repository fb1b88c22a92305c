import type { TextStore } from '../../../runtime/text-store.js';
import { systemClock } from './clock.js';
import type { Ports } from './ports.js';
import { systemRandom } from './random.js';
import { createUndiciTransport } from './undici-transport.js';

/** Calls to one service at a time (DESIGN 6). */
const CONNECTIONS = 32;

/** The real world: the machine's clock and chance, sockets, and the given stores. One for each service. */
export function createSystemPorts(stores: { shared: TextStore | null; perKey: TextStore | null }): Ports {
  return {
    clock: systemClock,
    random: systemRandom,
    transport: createUndiciTransport({ connections: CONNECTIONS }),
    sharedStore: stores.shared,
    privateStore: stores.perKey,
  };
}
