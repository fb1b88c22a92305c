import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import { type Awaitable, whenThere } from '../../schema/is-promise.js';
import type { OperationScope } from './operation-scope.js';

/** Tells an operation that wants to know the values of its root fields, before what is selected below them is resolved. */
export function tellRootValues(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = (source, args, context, info) => {
      const value = resolve(source, args, context, info) as Awaitable<unknown>;
      const { onRoot } = (context as OperationScope).operation;
      if (onRoot === undefined) return value;
      return whenThere(value, (there) => {
        onRoot(String(info.path.key), there);
        return there;
      });
    };
  }
}
