import { createUpstream } from '../../subgraphs/rest/create-upstream.js';
import { TransportFailure } from '../../subgraphs/rest/ports/transport.js';

/** What a simulation takes from `subgraphs/rest`: the real one, or a copy with a mistake in it. */
export interface Toolkit {
  readonly createUpstream: typeof createUpstream;
  /** Each copy knows only its own. */
  readonly TransportFailure: typeof TransportFailure;
}

export const realToolkit: Toolkit = { createUpstream, TransportFailure };
