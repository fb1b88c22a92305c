import { orNull } from '../../rest/responses/shape.js';
import { isView, type Row } from './paging.js';

/** The rows of one type that a request has seen. Entities for which the service has no route are resolved from them. */
export interface SeenRows<V> {
  add(rows: readonly Row<V>[]): void;
  byId(id: string): V | null;
}

/** Collects rows as they arrive, and searches them only when one is looked up. */
export function createSeenRows<V extends { readonly id: string | null }>(): SeenRows<V> {
  const lists: (readonly Row<V>[])[] = [];
  return {
    add: (rows) => {
      lists.push(rows);
    },
    byId: (id) => {
      for (const rows of lists) {
        const found = rows.find((row) => isView(row) && orNull(() => row.id) === id);
        if (isView(found ?? null)) return found as V;
      }
      return null;
    },
  };
}
