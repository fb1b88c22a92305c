import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));

/**
 * Builds the server and the page if a source is newer than what is built, once before the first file: workers that each
 * built would empty the folder under one another. If the build fails, tests load what the compiler made.
 */
export function setup(): void {
  try {
    execFileSync(process.execPath, [BUILD], { stdio: 'inherit' });
  } catch {
    console.error('The tests run what was compiled in spite of that, and will fail.');
  }
}
