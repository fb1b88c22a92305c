// `npm run drift -- --service NAME [--url URL] [--openapi URL]`: whether a live service still is as the code expects.

import { runDrift } from './command.js';

// The toolkit's timers do not keep the process alive.
const alive = setInterval(() => {}, 1_000);
process.exitCode = await runDrift(process.argv.slice(2), process.env, console);
clearInterval(alive);
