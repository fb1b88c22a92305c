/** An example query: a file in `examples/`. */
export interface Example {
  /** The file's name without `.graphql`, as in `/graphiql#example=missions-near-a-commune`. */
  readonly name: string;
  readonly title: string;
  /** A description in a sentence or two. */
  readonly about: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Parses an example, which starts with the comments `# title:`, `# about:` and `# variables:` (JSON on one line).
 * Throws an Error if one of them is missing.
 */
export function readExample(name: string, text: string): Example {
  const query = text.replace(/^(#.*\n)+/, '');
  const note = (key: string): string => {
    const value = new RegExp(`^# ${key}: (.+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`The example ${name} has no line "# ${key}:".`);
    return value;
  };
  return { name, title: note('title'), about: note('about'), query, variables: readVariables(name, note('variables')) };
}

function readVariables(name: string, text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`The variables of the example ${name} are not an object.`);
  }
  return Object.fromEntries(Object.entries(value));
}
