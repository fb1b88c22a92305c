// `npm run drift -- --service NAME [--url URL] [--openapi URL]`: whether a live service still is what the code relies on.

import { runDrift } from './command.js';

// Waits of the toolkit do not keep a process alive.
const alive = setInterval(() => {}, 1_000);
process.exitCode = await runDrift(process.argv.slice(2), process.env, console);
clearInterval(alive);
