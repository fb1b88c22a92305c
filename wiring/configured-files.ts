import { access, constants, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readApi } from '../gateway/graph/graph-files.js';
import {
  parseSafelist,
  reviewOperations,
  type Safelist,
  type SafelistPolicy,
  sha256,
} from '../gateway/limits/safelist.js';
import {
  type Configuration,
  ConfigurationError,
  examineConfiguration,
} from '../runtime/configuration/configuration.js';
import { isSubgraph, type Role } from '../runtime/configuration/role.js';

/**
 * The operations that the gateway is limited to; null without a list. A file that cannot be used is a mistake in the
 * configuration: rejects with a ConfigurationError.
 */
export async function openSafelist({ safelist }: Configuration): Promise<SafelistPolicy | null> {
  if (safelist === null) return null;
  try {
    const files = (await Promise.all(safelist.paths.map(manifestsAt))).flat();
    const manifests = await Promise.all(files.map(readManifest));
    return {
      mode: safelist.mode,
      hash: sha256(manifests.map(({ text }) => text).join('\n')),
      operations: new Map(manifests.flatMap(({ operations }) => [...operations])),
    };
  } catch (error) {
    // Values are never printed: the system's messages repeat the path, and later lines of a parser's repeat the file.
    const { code, message } = error as NodeJS.ErrnoException;
    const why = typeof code === 'string' ? `cannot be read (${code})` : `cannot be used: ${message.split('\n')[0]}`;
    throw new ConfigurationError([`SAFELIST names a file that ${why}`]);
  }
}

/** The file at a path, or those of the folder there whose names end with `.json`, in the order of their names. */
async function manifestsAt(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const files = (await readdir(path)).filter((name) => name.endsWith('.json')).toSorted();
  if (files.length === 0) throw new Error('The folder has no file whose name ends with .json.');
  return files.map((name) => join(path, name));
}

async function readManifest(file: string): Promise<{ readonly text: string; readonly operations: Safelist }> {
  const text = await readFile(file, 'utf8');
  try {
    return { text, operations: parseSafelist(text) };
  } catch (error) {
    throw new Error(`${basename(file)}: ${(error as Error).message}`);
  }
}

/**
 * Reads the environment and the files and the folder that it names, and calls no service. Returns what should be changed
 * all the same. Rejects with a ConfigurationError that lists every mistake in either.
 */
export async function checkConfiguration(role: Role): Promise<readonly string[]> {
  const { configuration, mistakes } = examineConfiguration(role);
  const { cacheDir, expired, warnings } = configuration;
  const all = [...mistakes, ...expired];
  if (cacheDir !== null && !(await mayBeWritten(cacheDir))) all.push(NO_CACHE_FOLDER);
  const opening = isSubgraph(role) ? null : openSafelist(configuration);
  const safelist = await opening?.catch((error: ConfigurationError) => void all.push(...error.mistakes));
  if (all.length > 0) throw new ConfigurationError(all);
  if (!safelist) return warnings;
  const review = reviewOperations(safelist.operations, await readApi());
  return [...warnings, ...review.errors, ...review.warnings];
}

const NO_CACHE_FOLDER = 'CACHE_DIR must be a folder that this user can write or create, or off';

/** Whether this user may write into a folder, or create it where it is missing. Changes nothing. */
async function mayBeWritten(folder: string): Promise<boolean> {
  try {
    if (!(await stat(folder)).isDirectory()) return false;
    await access(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' && dirname(folder) !== folder && mayBeWritten(dirname(folder));
  }
}
