/**
 * The options of a script by its command line: of each its default, `false` for a switch, else a number. `--help` prints
 * the usage; what the script does not know ends it with 2.
 */
export function readArguments<D extends Record<string, false | number>>(
  usage: string,
  defaults: D,
): { readonly [Name in keyof D]: D[Name] extends false ? boolean : number };
