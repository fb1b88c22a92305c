import type { Awaitable } from '../../../kernel/awaitable.js';
import { epciByCode } from '../../codes/epcis.js';
import { occupationByCode } from '../../codes/occupations.js';
import { officialCommunes } from '../../codes/official-communes.js';
import { isInseeCode } from '../../codes/places.js';
import { badUserInput, eachItem } from '../../graph/arguments.js';
import { idOf, readId } from '../../graph/ids.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import type { Context } from '../context.js';
import type { MissionView } from '../missions/shapes.js';
import { ONE_CALL } from '../values/lists.js';

/**
 * Of the types that another subgraph owns, which ones exist. What is found of them is a reference, which must exist:
 * nobody asks again (docs/decisions/no-stubs-across-subgraphs.md).
 */
const EXISTS = {
  Commune: (code: string) => isInseeCode(code) && officialCommunes().current.includes(code),
  Epci: (code: string) => epciByCode(code) !== undefined,
  Occupation: (code: string) => occupationByCode(code) !== undefined,
};

/** A mission, or a reference to an object of another subgraph by its key. */
export type Node =
  | MissionView
  | { readonly __typename: 'Commune'; readonly code: { readonly insee: string } }
  | { readonly __typename: 'Epci' | 'Occupation'; readonly id: string };

const isReferred = (type: string): type is keyof typeof EXISTS => Object.hasOwn(EXISTS, type);
const isMission = (id: unknown) => readId(String(id)) === null;

/** Objects by their ids alone. */
export const nodeResolvers: Resolvers = {
  Query: {
    node: {
      price: { ...ONE_CALL, calls: ({ id }) => (isMission(id) ? 1 : 0) },
      resolve(_root, { id }, context) {
        checkId('id', id);
        return nodeOf(id, context);
      },
    },
    nodes: {
      price: {
        ...ONE_CALL,
        calls: ({ ids }) => [ids].flat().filter(isMission).length,
        rows: ({ ids }) => [ids].flat().length,
      },
      resolve(_root, { ids }, context) {
        eachItem('ids', ids, checkId);
        // Each in its own place, with its own error.
        return ids.map((id) => nodeOf(id, context) as Promise<Node>);
      },
    },
  },
  Node: { __resolveType: (node) => ('__typename' in node ? node.__typename : 'Mission') },
  Commune: { id: ({ code }) => idOf('Commune', code?.insee ?? '') },
};

function nodeOf(id: string, { loaders, operation }: Context): Awaitable<Node | null> {
  const coded = readId(id);
  if (coded === null) return loaders.missionById(id, operation);
  const { type, code } = coded;
  if (!isReferred(type) || !EXISTS[type](code)) return null;
  return type === 'Commune' ? { __typename: type, code: { insee: code } } : { __typename: type, id };
}

function checkId(argument: string, id: string): void {
  const type = readId(id)?.type;
  if (type !== undefined && !isReferred(type))
    throw badUserInput(argument, `must be the id of a mission, or begin with ${Object.keys(EXISTS).join(':, ')}:`);
}
