import { createUpstream } from '../../subgraphs/rest/create-upstream.js';
import { GUARD_MS } from '../../subgraphs/rest/quota/book.js';

/** What a simulation takes from `subgraphs/rest`: the real one, or a copy with a mistake in it. */
export interface Toolkit {
  readonly createUpstream: typeof createUpstream;
  readonly GUARD_MS: number;
}

export const realToolkit: Toolkit = { createUpstream, GUARD_MS };
