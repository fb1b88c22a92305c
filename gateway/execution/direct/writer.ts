import type { DirectRun } from './direct-run.js';
import type { Fetch } from './fetch-run.js';

/**
 * Writes one value as JSON text. Without a run, the text becomes part of one that is cached, and nothing within it is
 * cached by itself. Throws the signal that ends the run.
 */
export type Write = (value: unknown, run: DirectRun | null) => string;

/** How a value of one type is written, for one selection. */
export interface Writer {
  /** Whether the text follows from the value alone. Only then may it be written without a run. */
  readonly isPure: boolean;
  /** Equal for selections that read the same of a value: describes what is below it; empty for a leaf. */
  readonly signature: string;
  /** Whether arguments within it depend on the client's variables. */
  readonly usesVariables: boolean;
  readonly write: Write;
  /** Starts the calls that the text needs; null if it follows from the value alone. */
  readonly fetch: Fetch | null;
}
