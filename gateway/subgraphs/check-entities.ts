import { CodedError } from '../../kernel/errors.js';
import { isRecord } from '../../kernel/json.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { isRequestError } from './source.js';

/**
 * Checks the entities in a subgraph's response. An item that is no entity becomes null, with an error. Throws if there
 * are more or fewer than representations, since they cannot be matched then, unless the subgraph itself reports why.
 */
export function checkEntities(name: string, request: SubgraphRequest, response: SubgraphResponse): SubgraphResponse {
  const representations = request.variables?.['representations'];
  const { data, errors = [] } = response;
  if (!Array.isArray(representations) || (!data && errors.length > 0)) return response;
  const entities = data?.['_entities'];
  const message = `The subgraph ${name} did not respond with the requested entities.`;
  if (!Array.isArray(entities) || entities.length !== representations.length) {
    if (errors.some(isRequestError)) return { ...response, data: null };
    const count = Array.isArray(entities) ? entities.length : 'no list of';
    const cause = new Error(`${name} responded with ${count} entities to ${representations.length} representations.`);
    throw new CodedError('UPSTREAM_INVALID_RESPONSE', message, { cause });
  }
  const isEntity = (item: unknown) => item === null || isRecord(item);
  if (entities.every(isEntity)) return response;
  const extensions = { code: 'UPSTREAM_INVALID_RESPONSE' };
  const added = entities.flatMap((item, index) =>
    isEntity(item) ? [] : [{ message, path: ['_entities', index], extensions }],
  );
  const checked = entities.map((item) => (isEntity(item) ? item : null));
  return { ...response, data: { ...data, _entities: checked }, errors: [...errors, ...added] };
}
