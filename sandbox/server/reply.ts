/** The response of a route, before compression and faults. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent with its length; an iterable is streamed in chunks. */
  readonly body?: string | Uint8Array | AsyncIterable<string> | Iterable<string | Uint8Array>;
  /** Whether it may be compressed; true if omitted. */
  readonly compress?: boolean;
}

/** A reply in JSON, with the content type that fastify and Express both send. */
export function jsonReply(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** A reply in plain text or, with another type, in HTML. */
export function textReply(status: number, text: string, type = 'text/plain; charset=utf-8'): Reply {
  return { status, headers: { 'content-type': type }, body: text };
}

/** The page of a proxy in front of the service: never JSON. */
export function proxyPage(status: number, title: string): Reply {
  const page = `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
  return textReply(status, page, 'text/html');
}
