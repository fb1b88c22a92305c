import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable that tells all processes of a run in which folder to create theirs. */
const FOLDER_OF_RUN = 'PASSERELLE_TEST_FOLDER';

/** A new folder, which is removed when the test run ends; outside a run, its creator must remove it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(process.env[FOLDER_OF_RUN] ?? tmpdir(), 'passerelle-'));
}

/**
 * Before the first test, creates a folder for all folders of the run. Returns a function that removes it, even if the
 * processes that wrote there were stopped and could not clean up.
 */
export function setup(): () => void {
  const folder = temporaryFolder();
  process.env[FOLDER_OF_RUN] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
