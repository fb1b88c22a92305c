import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';

/**
 * V8 optimizes a function only after this many bytes of its bytecode, eight times its default: for code that runs only a
 * few times. Empty since Node 22, which lacks the flag and ends at one that it does not know.
 */
export const LATE_OPTIMIZATION = execFileSync(execPath, ['--v8-options'], { encoding: 'utf8' }).includes(
  ' --interrupt-budget ',
)
  ? ['--interrupt-budget=1000000']
  : [];

/** For processes that end soon after they have started: a start takes a fourth less work, most of it optimization. */
export const SHORT_LIVED = ['--min-semi-space-size=32', ...LATE_OPTIMIZATION];
