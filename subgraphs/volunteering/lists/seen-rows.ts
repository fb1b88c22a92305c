import { isView, type Row } from './paging.js';

/** The rows of one type that a request has seen: entities that the service has no route for are resolved from them. */
export interface SeenRows<V> {
  add(rows: readonly Row<V>[]): void;
  byId(id: string): V | null;
}

/** Collects rows as they arrive; they are searched only when one is looked up. */
export function createSeenRows<V extends { readonly id: string | null }>(): SeenRows<V> {
  const lists: (readonly Row<V>[])[] = [];
  return {
    add: (rows) => {
      lists.push(rows);
    },
    byId: (id) => {
      for (const rows of lists) {
        const found = rows.find((row) => isView(row) && hasId(row, id));
        if (isView(found ?? null)) return found as V;
      }
      return null;
    },
  };
}

function hasId(row: { readonly id: string | null }, id: string): boolean {
  try {
    return row.id === id;
  } catch {
    // The identifier itself is of a wrong type.
    return false;
  }
}
