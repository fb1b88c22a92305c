// Compiles to dist/ when a source is newer than the last build, and says so; otherwise it costs a few milliseconds.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rooms = ['schema', 'runtime', 'subgraphs', 'gateway', 'sandbox'];
const stamp = join(root, 'dist', '.built');

const sources = ['main.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json'];
for (const room of rooms) {
  for (const file of readdirSync(join(root, room), { recursive: true })) sources.push(join(room, file));
}
const newest = Math.max(...sources.map((file) => statSync(join(root, file)).mtimeMs));

if (!existsSync(stamp) || statSync(stamp).mtimeMs < newest) {
  console.log('Building …');
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  rmSync(join(root, 'node_modules/.cache/passerelle/build.tsbuildinfo'), { force: true });
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  // What is read at run time but not compiled: SDL, scripts of the store, files of the plain page.
  for (const file of sources.filter((name) => /\.(graphql|lua|html|css|svg|js)$/.test(name) && name.includes('/'))) {
    cpSync(join(root, file), join(root, 'dist', file));
  }
  writeFileSync(stamp, '');
}
