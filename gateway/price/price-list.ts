import { type GraphQLSchema, isObjectType } from 'graphql';
import { declaredField } from '../../kernel/declared-field.js';
import type { FieldPrice } from '../../kernel/price.js';

/** What a field of the graph costs, and at which service. */
export interface ListedPrice extends FieldPrice {
  readonly service: string;
}

/** Prices by type and field; undefined for a field that makes no call. */
export type PriceList = (type: string, field: string) => ListedPrice | undefined;

/** Collects what our subgraphs declare. The schemas are read when the first price is requested. */
export function createPriceList(schemas: ReadonlyMap<string, () => GraphQLSchema>): PriceList {
  let prices: ReadonlyMap<string, ListedPrice> | null = null;
  return (type, field) => {
    prices ??= collect(schemas);
    return prices.get(`${type}.${field}`);
  };
}

function collect(schemas: ReadonlyMap<string, () => GraphQLSchema>): Map<string, ListedPrice> {
  const prices = new Map<string, ListedPrice>();
  for (const [service, schema] of schemas) {
    for (const type of Object.values(schema().getTypeMap())) {
      if (!isObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        const { price } = declaredField(field);
        if (price !== null) prices.set(`${type.name}.${field.name}`, { ...price, service });
      }
    }
  }
  return prices;
}
