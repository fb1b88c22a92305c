/** The two forms of a GraphQL answer (GraphQL over HTTP); the older one is the default of `Accept: *`. */
export type ResponseType = 'application/json' | 'application/graphql-response+json';

export type Encoding = 'br' | 'gzip';

/** One entry of an Accept header. */
export interface Choice {
  readonly name: string;
  readonly quality: number;
}

/** The form that the client likes best, the first named among equals; null when it takes neither. */
export function chooseResponseType(accept: string | undefined): ResponseType | null {
  if (accept === undefined || accept === '') return 'application/json';
  for (const { name } of readChoices(accept)) {
    if (name === 'application/graphql-response+json' || name === 'application/json') return name;
    if (name === '*/*' || name === 'application/*') return 'application/json';
  }
  return null;
}

/** The encoding to compress with: brotli before gzip, whichever of the two the client takes; null for none. */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding | null {
  const choices = readChoices(acceptEncoding ?? '');
  const taken = (encoding: Encoding) => choices.find(({ name }) => name === encoding)?.quality ?? 0;
  const [brotli, gzip] = [taken('br'), taken('gzip')];
  if (brotli === 0 && gzip === 0) return null;
  return brotli >= gzip ? 'br' : 'gzip';
}

/** The choices of an Accept header, best first; what has the quality 0 is refused and left out (RFC 9110, 12.4.2). */
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
