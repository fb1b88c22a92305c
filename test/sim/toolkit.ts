import { TransportFailure } from '../../subgraphs/rest/ports/transport.js';
import { createUpstream } from '../../subgraphs/rest/stages/create-upstream.js';

/** The parts of `subgraphs/rest` that a simulation uses: the real ones, or a copy with a bug. */
export interface Toolkit {
  readonly createUpstream: typeof createUpstream;
  /** Each copy has a class of its own. */
  readonly TransportFailure: typeof TransportFailure;
}

export const realToolkit: Toolkit = { createUpstream, TransportFailure };
