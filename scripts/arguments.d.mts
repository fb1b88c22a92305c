/**
 * Reads a script's options from its command line. `defaults` has each option's default: `false` for a switch, else a
 * number. `--help` prints the usage; an unknown or invalid option ends the process with 2.
 */
export function readArguments<D extends Record<string, false | number>>(
  usage: string,
  defaults: D,
): { readonly [Name in keyof D]: D[Name] extends false ? boolean : number };
