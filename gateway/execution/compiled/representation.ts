import { type Data, isData, merge } from './merge.js';
import type { Requires } from './plan.js';

/** The representation of an object; null when the object lacks something that it needs. */
export type Represent = (object: Data) => Data | null;

/** Says whether a type is `condition`, or one of the types that may stand behind it. */
export type Matches = (type: string, condition: string) => boolean;

/**
 * Compiles what a fetch requires. An object whose type none of the fragments matches has no `__typename` in its
 * representation: there is nothing to fetch for it, and its result is null.
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
