import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { createLog } from '../../runtime/process/logging.js';
import { openSafelist } from '../../wiring/configured-files.js';
import { temporaryFolder } from '../temporary-folder.js';

/** Guards starting with files that cannot be used. */

let folder: string;
beforeAll(async () => {
  folder = temporaryFolder();
});

async function startWith(variable: 'SAFELIST', text: string | null): Promise<unknown> {
  const path = join(folder, `${variable}-${text === null ? 'absent' : text.length}`);
  if (text !== null) await writeFile(path, text);
  const configuration = readConfiguration('gateway', { PORT: '0', CACHE_DIR: 'off', [variable]: path });
  const failure = await start(configuration, createLog({ level: 'silent', pretty: false, into: process.stdout })).catch(
    (error) => error,
  );
  expect(String(failure)).not.toContain(folder);
  return failure;
}

it.each([
  ['SAFELIST', null, 'SAFELIST names a file that cannot be read (ENOENT)'],
  ['SAFELIST', 'no json', 'SAFELIST names a file that cannot be used: SAFELIST-7: The manifest is not JSON.'],
  ['SAFELIST', '{}', 'SAFELIST names a file that cannot be used: SAFELIST-2: The manifest has no operations.'],
] as const)('a %s of %.20j is a mistake of the configuration, told in one line', async (variable, text, reported) => {
  expect(await startWith(variable, text)).toMatchObject({ mistakes: [expect.stringContaining(reported)] });
});

it('a safelist has the operations of all files and folders that are named, and says which file is none', async () => {
  const manifests = temporaryFolder();
  const write = (name: string, query: string) =>
    writeFile(join(manifests, name), JSON.stringify({ [createHash('sha256').update(query).digest('hex')]: query }));
  await Promise.all([write('b.json', '{ b }'), write('a.json', '{ a }'), write('c.txt', '{ c }')]);
  const open = async (paths: readonly string[]) =>
    openSafelist(readConfiguration('gateway', { SAFELIST: paths.join(', ') }));
  const list = await open([manifests, join(manifests, 'c.txt')]);
  expect([...(list?.operations.values() ?? [])]).toEqual(['{ a }', '{ b }', '{ c }']);
  expect((await open([manifests]))?.hash).not.toBe(list?.hash);
  await writeFile(join(manifests, 'package.json'), '{"name":"shop"}');
  await expect(open([manifests])).rejects.toThrow('package.json: This is no manifest of operations');
  await expect(open([temporaryFolder()])).rejects.toThrow('no file whose name ends with .json');
});
