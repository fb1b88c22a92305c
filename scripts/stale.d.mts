import type { PlatformPath } from 'node:path';

/** A folder's entry as a path from `root`, with `/`. `path` is node:path, or its form for another system. */
export function fromRoot(
  root: string,
  entry: { readonly parentPath: string; readonly name: string },
  path?: PlatformPath,
): string;

/** Those of these files that are read at run time but not compiled. */
export function copied(files: readonly string[]): string[];
