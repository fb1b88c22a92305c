/** A response to one POST. */
export interface Posted {
  readonly status: number;
  // Tests compare parts of responses, whose shape depends on their query.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any;
  readonly errors: readonly PostedError[];
}

export interface PostedError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: { readonly code: string };
}

/** What a GraphQL client sends, without any header that asks for more than the response. */
export async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Posted> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { data, errors = [] } = (await response.json()) as { data?: unknown; errors?: readonly PostedError[] };
  return { status: response.status, data, errors };
}
