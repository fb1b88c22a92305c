import { NO_FIGURES } from '../../../kernel/source-figures.js';
import type { UpstreamService } from '../../../subgraphs/rest/upstream.js';

export interface ScriptedSource extends UpstreamService {
  /** Body of every response from now on. */
  body: unknown;
  /** Places of values that drifted since this was last emptied. */
  readonly drifts: string[];
}

/** A service that answers every call with one body, for thousands of bodies, where a server would be too slow. */
export function scriptedSource(): ScriptedSource {
  const drifts: string[] = [];
  const source: ScriptedSource = {
    body: null,
    drifts,
    sender: { service: 'volunteering', drift: (place) => drifts.push(place) },
    recall: () => undefined,
    read: (request, operation) => source.call(request, operation),
    call: async (request) => request.parse({ json: source.body, sender: source.sender }, request),
    download: () => {
      throw new Error('The volunteering service has no files.');
    },
    status: () => ({ state: 'UP', upstream: 'sandbox' }),
    figures: () => NO_FIGURES,
    version: () => null,
    close: async () => {},
  };
  return source;
}
