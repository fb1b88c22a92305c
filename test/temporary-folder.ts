import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tells the processes of a run where its folders lie. */
const FOLDER_OF_RUN = 'PASSERELLE_TEST_FOLDER';

/** A new folder. It is gone when the run of the tests ends; outside of one, whoever made it removes it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(process.env[FOLDER_OF_RUN] ?? tmpdir(), 'passerelle-'));
}

/**
 * Before the first test: all folders of the run will lie in one. Returns what removes it, whatever became of the processes
 * that wrote there: most are stopped and cannot clean up.
 */
export function setup(): () => void {
  const folder = temporaryFolder();
  process.env[FOLDER_OF_RUN] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
