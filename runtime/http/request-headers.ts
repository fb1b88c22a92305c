/** Headers of a request as Node reads them, with lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The one value of a header; undefined when it is absent or was sent several times. */
export function oneHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The W3C trace context of a request (`traceparent`); undefined if it is absent or malformed. */
export function readTraceparent(headers: RequestHeaders): string | undefined {
  const given = oneHeader(headers, 'traceparent');
  if (given === undefined || !/^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(given)) return undefined;
  return /-0{16}-|-0{32}-/.test(given) ? undefined : given;
}
