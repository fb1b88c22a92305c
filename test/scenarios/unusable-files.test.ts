import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { start } from '../../main.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { createLog } from '../../runtime/process/logging.js';
import { temporaryFolder } from '../temporary-folder.js';

/** Guards starting with files that cannot be used. */

let folder: string;
beforeAll(async () => {
  folder = temporaryFolder();
});

async function startWith(variable: 'SUPERGRAPH' | 'SAFELIST', text: string | null): Promise<unknown> {
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
  ['SUPERGRAPH', null, 'SUPERGRAPH names a file that cannot be read (ENOENT)'],
  ['SUPERGRAPH', 'type Query { a: Int }', 'SUPERGRAPH names a file that cannot be used'],
  ['SUPERGRAPH', 'no schema', 'SUPERGRAPH names a file that cannot be used'],
  ['SAFELIST', null, 'SAFELIST names a file that cannot be read (ENOENT)'],
  ['SAFELIST', 'no json', 'SAFELIST names a file that cannot be used: The manifest is not JSON.'],
  ['SAFELIST', '{}', 'SAFELIST names a file that cannot be used: The manifest has no operations.'],
] as const)('a %s of %j is a mistake of the configuration, told in one line', async (variable, text, reported) => {
  expect(await startWith(variable, text)).toMatchObject({ mistakes: [expect.stringContaining(reported)] });
});
