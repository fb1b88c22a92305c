/** What `read` returns; null if it throws on a value of the wrong type, which is reported where the value is selected. */
export function orNull<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
