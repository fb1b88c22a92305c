import { createUpstream } from '../../subgraphs/rest/create-upstream.js';
import { TransportFailure } from '../../subgraphs/rest/ports/transport.js';

/** The parts of `subgraphs/rest` that a simulation uses: the real ones, or a copy with a bug. */
export interface Toolkit {
  readonly createUpstream: typeof createUpstream;
  /** Each copy has a class of its own. */
  readonly TransportFailure: typeof TransportFailure;
}

export const realToolkit: Toolkit = { createUpstream, TransportFailure };
