// Compiles to dist/ what has changed since the last build, and says so; otherwise it takes a few milliseconds.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPage, PAGE_FOLDER, PAGE_SOURCES } from './build-page.mjs';
import { filesBelow, fingerprintOf, isStale, root } from './stale.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.built');
const sources = [
  ...['main.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'scripts/build.mjs'],
  ...['schema', 'kernel', 'runtime', 'subgraphs', 'rows', 'gateway', 'analyst', 'sandbox', 'wiring'].flatMap(
    filesBelow,
  ),
].filter((file) => !file.startsWith(PAGE_SOURCES));
const fingerprint = fingerprintOf(sources);

// In parallel: the compiler and the bundler take a core each.
await Promise.all([
  isStale(stamp, fingerprint) ? buildServer() : null,
  // The server works without it: /graphiql is then the plain page.
  buildPage().catch((error) => console.log(`The analyst page was not built: ${error.message}`)),
]);

async function buildServer() {
  console.log('Building …');
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) {
    if (join(dist, name) !== PAGE_FOLDER) rmSync(join(dist, name), { recursive: true, force: true });
  }
  rmSync(join(root, 'node_modules/.cache/passerelle/build.tsbuildinfo'), { force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  try {
    // `npm run types` checks types: checking them here as well would take two thirds of the time.
    const args = [compiler, '-p', 'tsconfig.build.json', '--noCheck'];
    await promisify(execFile)(process.execPath, args, { cwd: root });
  } catch (error) {
    // The compiler prints errors to standard output.
    console.error(error.stdout);
    process.exit(1);
  }
  // Files that are read at run time but not compiled: SDL, examples, files of the plain pages.
  for (const file of sources.filter((name) => /\.(graphql|html|css|svg|js)$/.test(name) && name.includes('/'))) {
    cpSync(join(root, file), join(dist, file));
  }
  writeFileSync(stamp, fingerprint);
}
