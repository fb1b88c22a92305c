import { start } from '../../../main.js';
import { readConfiguration } from '../../../runtime/configuration.js';
import { createLog } from '../../../runtime/logging.js';

/** A replica in a process of its own, which can be killed. It is configured by its environment, and says where it answers. */
const { url } = await start(readConfiguration('all'), createLog({ level: 'silent', pretty: false }));
process.send?.(url);
