/** Whether the text has the form of an INSEE code: five characters, in Corsica with `2A` or `2B` in front. */
export function isInseeCode(text: string): boolean {
  return /^(?:\d\d|2A|2B)\d{3}$/.test(text);
}
