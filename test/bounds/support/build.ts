import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../../../scripts/build.mjs', import.meta.url));

/** Builds the server when a source is newer than what is built, once before the first file. */
export function setup(): void {
  execFileSync(process.execPath, [BUILD], { stdio: 'inherit' });
}
