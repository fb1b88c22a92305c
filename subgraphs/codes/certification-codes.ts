/** Whether the text is a code of the certifications register: `RNCP` and three to five digits (work-study 12.2.1). */
export function isRncpCode(text: string): boolean {
  return /^RNCP\d{3,5}$/.test(text);
}

/** Whether the text is a diploma code (code formation diplôme): eight characters (work-study 12.2.1). */
export function isCfdCode(text: string): boolean {
  return /^[A-Z0-9]{3}\d{3}[A-Z0-9]{2}$/.test(text);
}

/** Whether the text is a ROME code as in offers: a capital letter and four digits (work-study 12.2.8). */
export function isRomeCode(text: string): boolean {
  return /^[A-Z]\d{4}$/.test(text);
}
