import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';
import type { Toolkit } from './toolkit.js';

/** A mistake that the simulation must find: the ten of RELIABILITY E, and those that it found in the toolkit itself. */
export interface Mutant {
  readonly name: string;
  /** Below `subgraphs/rest`. */
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  /** A seed whose world finds it. */
  readonly foundBy: number;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a call that has ended stays in flight',
    file: 'stages/quota.ts',
    right: 'if (call.trail.sent > sentBefore) landAll(passes, call, failure);',
    wrong: 'if (call.trail.sent > sentBefore) void landAll;',
    foundBy: 1,
  },
  {
    name: 'the guard second is missing',
    file: 'quota/book.ts',
    right: 'GUARD_MS = 1000',
    wrong: 'GUARD_MS = 0',
    foundBy: 43,
  },
  {
    name: 'an epoch is compared with our own clock',
    file: 'rate-headers.ts',
    right: "const answeredMs = parseHttpDate(headers['date']);\n  return answeredMs === null ? null : clamp(reset",
    wrong: "const answeredMs = Number(headers['x-heard-at-ms']);\n  return answeredMs === null ? null : clamp(reset",
    foundBy: 48,
  },
  {
    name: 'each replica takes the whole limit when the store is lost',
    file: 'quota/alone-account.ts',
    right: 'ofLimit: (limit, held, nowMs) => partOf(limit, { held, byOthers: others(nowMs).length }),',
    wrong: 'ofLimit: (limit) => limit,',
    foundBy: 386,
  },
  {
    name: 'outcomes of calls from before the breaker opened count',
    file: 'breaker.ts',
    right: 'if (admitted === generation) settle(outcome);',
    wrong: 'settle(outcome);',
    foundBy: 177,
  },
  {
    name: 'a trial that is called off never gives its place back',
    file: 'stages/breaker.ts',
    right: 'return next({ ...call, trial: true }).finally(giveBack);',
    wrong: 'return next({ ...call, trial: true }).finally(() => { if (!call.signal.aborted) giveBack(); });',
    foundBy: 45,
  },
  {
    name: 'after a good trial all are let in at once',
    file: 'breaker.ts',
    right: 'atOnce = 1;',
    wrong: 'atOnce = SOUND - 1;',
    foundBy: 28,
  },
  {
    name: 'jitter shortens a time that the service named',
    file: 'stages/retry.ts',
    right: 'return jitterMs + (namedMs ?? 0) * 1000;',
    wrong: 'return namedMs === null ? jitterMs : Math.max(jitterMs, namedMs * 1000 - jitterMs);',
    foundBy: 5,
  },
  {
    name: 'the first caller takes those who wait with him along',
    file: 'stages/coalesce.ts',
    right: 'fly(first);\n    return {',
    wrong: "fly(first);\n    first.signal.addEventListener('abort', () => controller.abort());\n    return {",
    foundBy: 1,
  },
  {
    name: 'what could not be renewed is asked for again at once',
    file: 'stages/stale.ts',
    right: 'const held = backoff.holds(call.identity, breaker.lastSuccessMs);',
    wrong: 'const held = null;',
    foundBy: 56,
  },
  {
    name: 'a trial that is never answered tells nothing',
    file: 'stages/breaker.ts',
    right: 'clock.after(2 * TRIAL_MS, () => controller.abort())',
    wrong: 'clock.after(TRIAL_MS, () => controller.abort())',
    foundBy: 227,
  },
  {
    name: 'a trial waits like background work',
    file: 'call.ts',
    right: 'return !trial && (operation.background === true || unattended);',
    wrong: 'return operation.background === true || unattended;',
    foundBy: 75,
  },
  {
    name: 'a person waits in the place of background work',
    file: 'stages/coalesce.ts',
    right: 'known.hurry(call);',
    wrong: '',
    foundBy: 1,
  },
];

const ROOT = resolve(import.meta.dirname, '../..');
/** Inside the project, so that copies find its packages; in a folder that nobody keeps. */
const CACHE = join(ROOT, 'node_modules/.cache/passerelle/mutants');
/** What a toolkit is made of. */
const ROOMS = ['schema', 'subgraphs/rest', 'test/rest/support'];

/** A module is loaded once from an address: each copy has another. */
let loads = 0;

/** A copy of the toolkit with a mistake in it. Throws when the product no longer has the text that it changes. */
export async function loadMutant(mutant: Mutant): Promise<Toolkit> {
  loads += 1;
  const folder = join(CACHE, `${process.pid}-${loads}`);
  for (const [path, text] of sources()) {
    const changed = path === `subgraphs/rest/${mutant.file}` ? applied(mutant, text) : text;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path.replace(/\.ts$/, '.js')), await withoutTypes(changed));
  }
  const [{ createUpstream }, { TransportFailure }, { createVirtualAccounts }] = await Promise.all([
    loadFrom<Pick<Toolkit, 'createUpstream'>>(join(folder, 'subgraphs/rest/create-upstream.js')),
    loadFrom<Pick<Toolkit, 'TransportFailure'>>(join(folder, 'subgraphs/rest/ports/transport.js')),
    loadFrom<Pick<Toolkit, 'createVirtualAccounts'>>(join(folder, 'test/rest/support/virtual-accounts.js')),
  ]);
  rmSync(folder, { recursive: true, force: true });
  return { createUpstream, TransportFailure, createVirtualAccounts };
}

const outputs = new Map<string, string>();

/** A mutant differs from the toolkit in one file: the others are compiled once. */
async function withoutTypes(text: string): Promise<string> {
  const known = outputs.get(text) ?? (await transformWithOxc(text, 'toolkit.ts')).code;
  outputs.set(text, known);
  return known;
}

function loadFrom<T>(path: string): Promise<T> {
  return import(/* @vite-ignore */ pathToFileURL(path).href);
}

function applied({ name, right, wrong }: Mutant, text: string): string {
  if (text.split(right).length !== 2) throw new Error(`The mutant “${name}” finds no place in the toolkit.`);
  return text.replace(right, () => wrong);
}

function sources(): [path: string, text: string][] {
  return ROOMS.flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
  )
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]);
}
