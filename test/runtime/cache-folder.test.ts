import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openCacheFolder } from '../../runtime/stores/cache-folder.js';
import { temporaryFolder } from '../temporary-folder.js';
import { createLines } from './support/lines.js';

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});

describe('the cache folder', () => {
  it('is made with all that is missing above it, for its owner only, and is left empty', async () => {
    const { log, read } = createLines();
    const folder = join(root, 'some', 'where', 'deep');
    expect(await openCacheFolder(folder, log)).toBe(folder);
    expect(readdirSync(folder)).toEqual([]);
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(read()).toEqual([]);
  });

  it('may be made by several processes at the same time', async () => {
    const { log, read } = createLines();
    const folder = join(root, 'some', 'where');
    expect(await Promise.all(Array.from({ length: 5 }, () => openCacheFolder(folder, log)))).toEqual(
      Array(5).fill(folder),
    );
    expect(read()).toEqual([]);
  });

  it.each([
    ['where nothing can be made', () => '/proc/nope/deep'],
    [
      'where a file is in the way',
      () => {
        writeFileSync(join(root, 'file'), '');
        return join(root, 'file', 'folder');
      },
    ],
    [
      'that is a file itself',
      () => {
        writeFileSync(join(root, 'file'), '');
        return join(root, 'file');
      },
    ],
  ])('%s is told in one line, and nothing is kept there', async (_where, place) => {
    const { log, read } = createLines();
    expect(await openCacheFolder(place(), log)).toBeNull();
    expect(read()).toMatchObject([
      { level: 'warn', msg: 'the cache folder cannot be used: nothing survives a restart', folder: place() },
    ]);
  });

  it('may be switched off', async () => {
    const { log, read } = createLines();
    expect(await openCacheFolder(null, log)).toBeNull();
    expect(read()).toEqual([]);
  });
});
