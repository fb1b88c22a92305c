// Compiles to dist/ what has changed since the last build, and says so; otherwise it takes a few milliseconds.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPage, PAGE_FOLDER, PAGE_SOURCES } from './build-page.mjs';
import { copied, filesBelow, fingerprintOf, isStale, root } from './stale.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.built');
const rooms = 'analyst database gateway kernel rows runtime sandbox schema subgraphs wiring'.split(' ');
const settings = ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'scripts/build.mjs'];
const sources = ['main.ts', ...settings, ...rooms.flatMap(filesBelow)].filter((file) => !file.startsWith(PAGE_SOURCES));
const fingerprint = fingerprintOf(sources);

// In parallel: the compiler and the bundler take a core each.
await Promise.all([
  isStale(stamp, fingerprint) ? buildServer() : null,
  // The server works without it: /graphiql is then a plain form.
  buildPage().catch((error) => console.log(`The analyst page was not built: ${error.message}`)),
]);

async function buildServer() {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) {
    console.error(
      'The compiler is not installed: npm leaves it out where NODE_ENV is production. Run `npm ci --include=dev`, then `npm run build`; afterwards `npm prune --omit=dev` removes it again.',
    );
    process.exit(1);
  }
  console.log('Building …');
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) {
    if (join(dist, name) !== PAGE_FOLDER) rmSync(join(dist, name), { recursive: true, force: true });
  }
  rmSync(join(root, 'node_modules/.cache/passerelle/build.tsbuildinfo'), { force: true });
  try {
    // `npm run types` checks types: checking them here as well would take two thirds of the time.
    const args = [compiler, '-p', 'tsconfig.build.json', '--noCheck'];
    await promisify(execFile)(process.execPath, args, { cwd: root });
  } catch (error) {
    // The compiler prints errors to standard output.
    console.error(error.stdout);
    process.exit(1);
  }
  for (const file of copied(sources)) cpSync(join(root, file), join(dist, file));
  writeFileSync(stamp, fingerprint);
}
