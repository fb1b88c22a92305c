import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';
import type { Mutant } from './mutants.js';
import type { Toolkit } from './toolkit.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** Inside the project, so that copies find its packages, in a folder that is not versioned. */
const CACHE = join(ROOT, 'node_modules/.cache/passerelle/mutants');
/** The modules of a toolkit. */
const ROOMS = [
  'database',
  'kernel',
  'runtime/credentials',
  'runtime/event-loop',
  'runtime/http',
  'runtime/process',
  'runtime/stores',
  'subgraphs/rest',
];

/** A module is loaded once per address, so each copy gets its own. */
let loads = 0;

/** A copy of the toolkit with a bug in it. Throws if the product no longer has the text that it changes. */
export async function loadMutant(mutant: Mutant): Promise<Toolkit> {
  loads += 1;
  const folder = join(CACHE, `${process.pid}-${loads}`);
  for (const [path, text] of sources()) {
    const changed = path === pathOf(mutant) ? applied(mutant, text) : text;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path.replace(/\.ts$/, '.js')), await withoutTypes(changed));
  }
  const [{ createUpstream }, { TransportFailure }] = await Promise.all([
    loadFrom<Pick<Toolkit, 'createUpstream'>>(join(folder, 'subgraphs/rest/stages/create-upstream.js')),
    loadFrom<Pick<Toolkit, 'TransportFailure'>>(join(folder, 'subgraphs/rest/ports/transport.js')),
  ]);
  rmSync(folder, { recursive: true, force: true });
  return { createUpstream, TransportFailure };
}

const outputs = new Map<string, string>();

/** A mutant differs from the toolkit in one file: the other files are compiled once. */
async function withoutTypes(text: string): Promise<string> {
  const known = outputs.get(text) ?? (await transformWithOxc(text, 'toolkit.ts')).code;
  outputs.set(text, known);
  return known;
}

function loadFrom<T>(path: string): Promise<T> {
  return import(/* @vite-ignore */ pathToFileURL(path).href);
}

function pathOf({ file }: Mutant): string {
  return `subgraphs/rest/${file}`;
}

function applied({ name, right, wrong }: Mutant, text: string): string {
  if (text.split(right).length !== 2) throw new Error(`The mutant “${name}” does not match the toolkit.`);
  return text.replace(right, () => wrong);
}

function sources(): [path: string, text: string][] {
  return ROOMS.flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
  )
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]);
}
