import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const lines = readFileSync(`${root}Dockerfile`, 'utf8').split('\n');

/** What a build adds to the repository's own files in the image. */
const BUILT = /^(node_modules|dist)$/;

function argumentsOf(instruction: string): string[] {
  return lines.flatMap((line) => (line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : []));
}

/** `npm run lint` checks the syntax; these are the rules for this image. Nothing is built, so no daemon is needed. */
describe('The Dockerfile', () => {
  test('names a version of each base image', () => {
    expect(argumentsOf('FROM').filter((image) => !/^node:\d+[\w.-]*( AS \w+)?$/.test(image))).toEqual([]);
  });

  test('leaves settings with secrets out of every image', () => {
    const ignored = readFileSync(`${root}.dockerignore`, 'utf8').split('\n');
    for (const pattern of ['.env', '**/.env', '**/.env.*']) expect(ignored).toContain(pattern);
  });

  test('ends as a user that is not root', () => {
    expect(argumentsOf('USER').at(-1)).toMatch(/^(?!root$|0$)\w+$/);
  });

  test('copies only what is there, owned by root in the image', () => {
    const copies = argumentsOf('COPY');
    const sources = copies.flatMap((copy) =>
      copy
        .split(/\s+/)
        .filter((word) => !word.startsWith('--'))
        .slice(0, -1),
    );
    const paths = sources.map((source) => source.replace('/app/', '')).filter((path) => !BUILT.test(path));
    expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
    expect(copies.filter((copy) => copy.includes('--from=') && !copy.includes('--chown=root:root'))).toEqual([]);
  });

  test('writes only into its volume, so that the root may be read-only', () => {
    const [volume = ''] = argumentsOf('VOLUME').map((paths) => JSON.parse(paths)[0] as string);
    expect(argumentsOf('ENV').join(' ')).toContain(`CACHE_DIR=${volume}`);
    expect(readFileSync(`${root}docs/operators.md`, 'utf8')).toContain(
      `read-only root; mount a volume at \`${volume}\``,
    );
  });
});
