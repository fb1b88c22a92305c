import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Writes the files that are not as they follow from the code. To check is only to compare: the process then ends with 1
 * if a committed file differs, and says which command writes it.
 */
export function deriveFiles(files: readonly (readonly [URL, string])[], command: string, isCheck: boolean): void {
  const stale = files.filter(([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
  if (isCheck && stale.length > 0) {
    const names = stale.map(([file]) => relative(process.cwd(), fileURLToPath(file))).join(', ');
    console.error(`Out of date: ${names}. Run \`${command}\` and commit the result.`);
    process.exitCode = 1;
    return;
  }
  for (const [file, text] of stale) writeFileSync(file, text);
  console.log(`${command}: ${files.length} files, ${isCheck ? 'all up to date' : `${stale.length} written`}`);
}
