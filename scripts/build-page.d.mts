/** Calls `run` with the folder's path, or that of a link to it that Vite can read, and with how Vite must resolve imports. */
export function withPlainPath<T>(
  folder: string,
  run: (plain: { readonly path: string; readonly resolve: { readonly preserveSymlinks?: boolean } }) => Promise<T>,
): Promise<T>;
