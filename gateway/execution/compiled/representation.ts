import { type Data, isData, merge } from './merge.js';
import type { Requires } from './plan.js';

/** Builds the representation of an object; null if a required field is missing. */
export type Represent = (object: Data) => Data | null;

/** Whether a type is `condition` or one of its possible types. */
export type Matches = (type: string, condition: string) => boolean;

/**
 * Compiles the `requires` of a fetch. An object whose type matches no fragment gets no `__typename`, so its
 * representation is null and nothing is fetched for it.
 */
export function compileRepresentation(requires: Requires, matches: Matches): Represent {
  const pick = compilePick(requires, matches);
  return (object) => {
    const picked = pick(object);
    return typeof picked?.['__typename'] === 'string' ? picked : null;
  };
}

function compilePick(requires: Requires, matches: Matches): Represent {
  const parts = requires.map((part) => {
    if (part.kind === 'Field') {
      const pick = part.selections === undefined ? null : compilePick(part.selections, matches);
      return { key: part.alias ?? part.name, pick, condition: undefined };
    }
    return { key: null, pick: compilePick(part.selections, matches), condition: part.typeCondition };
  });

  return (object) => {
    const picked: Data = {};
    for (const { key, pick, condition } of parts) {
      if (key !== null) {
        const value = Object.hasOwn(object, key) ? object[key] : undefined;
        if (value === undefined) return null;
        picked[key] = pick === null ? value : pickBelow(value, pick);
      } else if (condition !== undefined && isOfType(object, condition, matches)) {
        const further = pick?.(object) ?? null;
        if (further !== null) merge(picked, further);
      }
    }
    return picked;
  };
}

function pickBelow(value: unknown, pick: Represent): unknown {
  if (Array.isArray(value)) return value.map((item) => pickBelow(item, pick));
  return isData(value) ? pick(value) : null;
}

function isOfType(object: Data, condition: string, matches: Matches): boolean {
  const type = object['__typename'];
  return typeof type === 'string' && matches(type, condition);
}
