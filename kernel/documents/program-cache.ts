import type { Flags } from './flags.js';

/** Programs cached per operation: everything attached to a document needs a bound. */
export const MAX_PROGRAMS = 4;

/** Compiles an operation once for each choice of its flags. The program that was compiled first is evicted first. */
export function createProgramCache<P>(
  defaults: ReadonlyMap<string, boolean>,
  compile: (flags: Flags) => P,
): (variables: Flags) => P {
  const programs = new Map<string, P>();
  return (variables) => {
    const flagOf = (name: string, byDefault: boolean) =>
      Object.hasOwn(variables, name) ? variables[name] === true : byDefault;
    let key = '';
    for (const [name, byDefault] of defaults) key += flagOf(name, byDefault) ? '1' : '0';
    const known = programs.get(key);
    if (known !== undefined) return known;
    const flags: Record<string, boolean> = Object.create(null);
    for (const [name, byDefault] of defaults) flags[name] = flagOf(name, byDefault);
    const program = compile(flags);
    const [oldest] = programs.keys();
    if (programs.size === MAX_PROGRAMS && oldest !== undefined) programs.delete(oldest);
    programs.set(key, program);
    return program;
  };
}
