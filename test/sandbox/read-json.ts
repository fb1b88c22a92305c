/**
 * The value at a path of a JSON body, such as `errors.0.message`; undefined if there is none. Without a path, the whole
 * body.
 */
export async function readJson(response: Response | Promise<Response>, path = ''): Promise<unknown> {
  const body: unknown = await (await response).json();
  const names = path === '' ? [] : path.split('.');
  return names.reduce((value: unknown, name) => (isContainer(value) ? value[name] : undefined), body);
}

/** The same value, which must be a string. */
export async function readText(response: Response | Promise<Response>, path: string): Promise<string> {
  const value = await readJson(response, path);
  if (typeof value !== 'string') throw new Error(`${path} is no text: ${JSON.stringify(value)}`);
  return value;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
