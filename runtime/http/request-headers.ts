/** Headers of a request as Node reads them, their names in small letters. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The one value of a header; undefined when it is absent or was sent several times. */
export function oneHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The `x-request-id` of a request; null if there is none that is safe in logs and headers. */
export function readRequestId(headers: RequestHeaders): string | null {
  const given = oneHeader(headers, 'x-request-id');
  return given !== undefined && /^[\w.:/+=-]{1,128}$/.test(given) ? given : null;
}
