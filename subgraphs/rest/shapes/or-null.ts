/** What `read` returns; null where it meets a value of a wrong type, which is reported where that is selected. */
export function orNull<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
