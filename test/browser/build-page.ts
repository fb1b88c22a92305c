import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../../scripts/build-page.mjs', import.meta.url));

/** Builds the page where it is older than its sources, once before the first file: workers would empty its folder under one another. */
export function setup(): void {
  execFileSync(process.execPath, [BUILD], { stdio: 'inherit' });
}
