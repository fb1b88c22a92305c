import type { OmittedPlace } from '../../../runtime/errors/error-list.js';

/**
 * Maps places in the response of one fetch to places in the client's response, where everything below `_entities` is
 * found below `path`.
 */
export function placeInResponse(path: readonly string[], subgraph: string): (place: OmittedPlace) => OmittedPlace {
  return ({ path: place }) => {
    const [root, ...below] = place;
    return { path: root === '_entities' ? [...path, ...below.slice(1)] : place, subgraph };
  };
}
