import type { OmittedPlace } from '../../../runtime/errors/error-list.js';

/**
 * Says where in a client's answer a place in one fetch of the plan is: a fetch of more about the objects at `path`
 * tells places below its list of entities.
 */
export function placeInAnswer(path: readonly string[], subgraph: string): (place: OmittedPlace) => OmittedPlace {
  return ({ path: place }) => {
    const [root, ...below] = place;
    return { path: root === '_entities' ? [...path, ...below.slice(1)] : place, subgraph };
  };
}
