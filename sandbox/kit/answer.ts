/** What a route answers; the kit turns it into bytes, with compression and faults. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent with its length; an iterable is streamed in chunks. */
  readonly body?: string | Uint8Array | AsyncIterable<string> | Iterable<string>;
  /** Whether it may be compressed; it may when left out. */
  readonly compress?: boolean;
}

/** An answer in JSON, with the content type that fastify and Express both send. */
export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** An answer in plain text or, with another type, in HTML. */
export function textAnswer(status: number, text: string, type = 'text/plain; charset=utf-8'): Answer {
  return { status, headers: { 'content-type': type }, body: text };
}

/** The page of a proxy in front of the service: never JSON. */
export function proxyPage(status: number, title: string): Answer {
  const page = `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
  return textAnswer(status, page, 'text/html');
}
