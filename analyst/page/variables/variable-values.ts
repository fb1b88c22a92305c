/** The values of variables by name. */
export type VariableValues = Readonly<Record<string, unknown>>;

/** The values in the text of the variable editor; null if it is not a JSON object. */
export function readValues(text: string): VariableValues | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? Object.fromEntries(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

/** The text with one value changed, in the same order; undefined and an empty list remove the variable. */
export function writeValue(values: VariableValues, name: string, value: unknown): string {
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  const next = Object.entries({ ...values, [name]: isEmpty ? undefined : value });
  return JSON.stringify(Object.fromEntries(next.filter(([, one]) => one !== undefined)), null, 2);
}
