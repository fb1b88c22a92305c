/** Those of these files that are read at run time but not compiled. */
export function copied(files: readonly string[]): string[];
