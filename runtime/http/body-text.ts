/** Why a body has no readable text: the status and message of the refusal. */
export interface UnreadableText {
  readonly status: 400 | 415;
  readonly message: string;
}

/** The text of a JSON body with this content type: UTF-8, with or without a byte order mark. */
export function readBodyText(type: string | undefined, body: Buffer): string | UnreadableText {
  const charset = CHARSET.exec(type ?? '')?.[1];
  if (charset !== undefined && !UTF_8.test(charset)) {
    return { status: 415, message: 'The character set of a body is utf-8.' };
  }
  try {
    return utf8.decode(body);
  } catch {
    return { status: 400, message: 'The body is not UTF-8.' };
  }
}

/** The parameter of a media type, quoted or not. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
/** Some clients omit the hyphen. */
const UTF_8 = /^utf-?8$/i;

/** Drops a byte order mark. Invalid bytes are refused: replacement characters would change the query. */
const utf8 = new TextDecoder('utf-8', { fatal: true });
