import { parse } from 'node:querystring';

/** The fields of a form or JSON body; may be empty. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a body as the platform's parsers do: forms and JSON objects. Anything else, multipart included, is ignored
 * (waste-identity 4.1).
 * @throws SyntaxError for malformed JSON
 */
export function parseFields(body: Buffer, contentType: string | undefined): Fields {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return parse(body.toString('utf8'));
  if (type !== 'application/json' || body.length === 0) return {};
  const value: unknown = JSON.parse(body.toString('utf8'));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
