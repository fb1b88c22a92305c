import { createUpstream } from '../../subgraphs/rest/create-upstream.js';
import { TransportFailure } from '../../subgraphs/rest/ports/transport.js';

/** What a simulation uses of `subgraphs/rest`: the real one, or a copy with a bug in it. */
export interface Toolkit {
  readonly createUpstream: typeof createUpstream;
  /** Each copy has a class of its own. */
  readonly TransportFailure: typeof TransportFailure;
}

export const realToolkit: Toolkit = { createUpstream, TransportFailure };
