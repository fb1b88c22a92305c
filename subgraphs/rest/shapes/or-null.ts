/** What `read` returns; null if it meets a value of the wrong type, which is reported where that is selected. */
export function orNull<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
