/**
 * A pure function of one object, computed once for each: a cached object is the same for every caller, and what follows
 * from it goes with it. Results are shared: nobody may change them.
 */
export function derived<T extends object, V>(of: (object: T) => V): (object: T) => V {
  const known = new WeakMap<T, { readonly value: V }>();
  return (object) => {
    const found = known.get(object);
    if (found !== undefined) return found.value;
    const value = of(object);
    known.set(object, { value });
    return value;
  };
}
