import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../test/temporary-folder.js';

/** Another commit of this product, built. */
export interface OtherCommit {
  /** Its short hash. */
  readonly name: string;
  readonly root: string;
  remove(): void;
}

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Checks a commit out into a temporary folder, and builds it there. */
export function checkOut(revision: string): OtherCommit {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const name = git('rev-parse', '--short', `${revision}^{commit}`);
  const root = temporaryFolder();
  git('worktree', 'add', '--detach', '--quiet', root, name);
  const remove = () => {
    git('worktree', 'remove', '--force', root);
    rmSync(root, { recursive: true, force: true });
  };
  try {
    install(root);
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  } catch (error) {
    remove();
    throw error;
  }
  return { name, root, remove };
}

/** Uses the packages of this folder if the lock files are the same. */
function install(root: string): void {
  const lock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (lock(root) === lock(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: 'inherit' });
}
