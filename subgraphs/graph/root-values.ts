import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import { type Awaitable, whenThere } from '../../schema/is-promise.js';
import type { OperationScope } from './operation-scope.js';

/** Passes the values of root fields to operations that want them, before the fields selected below are resolved. */
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
