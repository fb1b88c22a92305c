/** The media types of a GraphQL response (GraphQL over HTTP); the older one is the default for any `Accept`. */
export type ResponseType = 'application/json' | 'application/graphql-response+json';

/** A content encoding for responses. */
export type Encoding = 'br' | 'gzip';

/** One entry of an Accept header. */
export interface Choice {
  readonly name: string;
  readonly quality: number;
}

/** The media type that the client prefers, the first among equals; null if it accepts neither. */
export function chooseResponseType(accept: string | undefined): ResponseType | null {
  if (accept === undefined || accept === '') return 'application/json';
  for (const { name } of readChoices(accept)) {
    if (name === 'application/graphql-response+json' || name === 'application/json') return name;
    if (name === '*/*' || name === 'application/*') return 'application/json';
  }
  return null;
}

/**
 * The encoding that the client prefers, brotli among equals; null if it prefers none, or accepts neither. A short body
 * is encoded only if the client refuses it unencoded (RFC 9110, 12.5.3).
 */
export function chooseEncoding(acceptEncoding: string | undefined, isShort = false): Encoding | null {
  const sent = (acceptEncoding ?? '').split(',').map(readChoice);
  const qualityOf = (...names: string[]) => sent.find(({ name }) => names.includes(name))?.quality;
  const others = qualityOf('*');
  const brotli = qualityOf('br') ?? others ?? 0;
  const gzip = qualityOf('gzip', 'x-gzip') ?? others ?? 0;
  const best = Math.max(brotli, gzip);
  const plain = qualityOf('identity') ?? (others === 0 ? 0 : undefined);
  if (best === 0 || (plain ?? 0) > best || (isShort && plain !== 0)) return null;
  return brotli >= gzip ? 'br' : 'gzip';
}

/** The entries of an Accept header, best first, without those of quality 0 (RFC 9110, 12.4.2). */
export function readChoices(header: string): Choice[] {
  return header
    .split(',')
    .map(readChoice)
    .filter(({ name, quality }) => name !== '' && quality > 0)
    .sort((one, other) => other.quality - one.quality);
}

function readChoice(text: string): Choice {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { name, quality: quality === undefined ? 1 : Number(quality) || 0 };
}
