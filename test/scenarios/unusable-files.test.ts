import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { readGraph } from '../../gateway/graph/graph-files.js';
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

const OWN = (await readGraph()).supergraph;
const NOT_OWN =
  "SUPERGRAPH names a file that cannot be used: it is not this build's own. Run another graph with Apollo Router, Hive Gateway or Cosmo Router";

it.each([
  ['SUPERGRAPH', null, 'SUPERGRAPH names a file that cannot be read (ENOENT)'],
  ['SUPERGRAPH', 'type Query { a: Int }', NOT_OWN],
  ['SUPERGRAPH', 'no schema', NOT_OWN],
  ['SUPERGRAPH', `${OWN}\n`, NOT_OWN],
  ['SAFELIST', null, 'SAFELIST names a file that cannot be read (ENOENT)'],
  ['SAFELIST', 'no json', 'SAFELIST names a file that cannot be used: The manifest is not JSON.'],
  ['SAFELIST', '{}', 'SAFELIST names a file that cannot be used: The manifest has no operations.'],
] as const)('a %s of %.20j is a mistake of the configuration, told in one line', async (variable, text, reported) => {
  expect(await startWith(variable, text)).toMatchObject({ mistakes: [expect.stringContaining(reported)] });
});

it('a copy of the supergraph of this build is accepted', async () => {
  const path = join(folder, 'own');
  await writeFile(path, OWN);
  const configuration = readConfiguration('gateway', { PORT: '0', CACHE_DIR: 'off', SUPERGRAPH: path });
  const running = await start(configuration, createLog({ level: 'silent', pretty: false, into: process.stdout }));
  await running.close();
});
