import {
  defaultFieldResolver,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import { inTurns } from '../../runtime/event-loop/turns.js';
import { type OperationScope, requestOf } from './operation-scope.js';

/**
 * Yields to the event loop while the objects of long lists are completed; graphql-js would complete thousands of rows
 * and their fields in one go. It receives lists item by item, later items as promises.
 */
export function completeListsInTurns(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isListType(getNullableType(field.type)) || !isCompositeType(getNamedType(field.type))) continue;
      const resolve = field.resolve ?? defaultFieldResolver;
      field.resolve = (source, args, context, info) => {
        const list: unknown = resolve(source, args, context, info);
        const request = requestOf(context as OperationScope);
        return list instanceof Promise ? list.then((items) => itemByItem(items, request)) : itemByItem(list, request);
      };
    }
  }
}

function itemByItem(list: unknown, owner: object): unknown {
  return Array.isArray(list) && list.length > 1 ? inTurns(owner, list, (item: unknown) => item) : list;
}
