/** What examples are grouped by: the subject of the question, in display order. */
export const EXAMPLE_GROUPS = ['missions', 'offers', 'training', 'organizations', 'places'] as const;
/** One of the groups. */
export type ExampleGroup = (typeof EXAMPLE_GROUPS)[number];

/** The views that an example may be best seen in. */
const VIEWS = ['JSON', 'Table', 'Counts', 'Map'] as const;

/** The examples that come first: one per service, each joined with another. */
export const FIRST_EXAMPLES = ['missions-and-their-communes', 'missions-near-a-commune', 'organizations-that-hire'];

/** Examples as they are listed: the first ones, then all others by title. */
export function inOrder(examples: readonly Example[]): Example[] {
  const rank = ({ name }: Example): number => FIRST_EXAMPLES.indexOf(name) >>> 0;
  return examples.toSorted((one, other) => rank(one) - rank(other) || one.title.en.localeCompare(other.title.en, 'en'));
}

/** A text in the page's languages. */
export interface ExampleText {
  readonly en: string;
  readonly fr: string;
}

/** An example query: a file in `examples/`. */
export interface Example {
  /** The file's name without `.graphql`, as in `/graphiql#example=missions-near-a-commune`. */
  readonly name: string;
  readonly title: ExampleText;
  /** A description in a sentence or two. */
  readonly about: ExampleText;
  readonly group: ExampleGroup;
  /** The view that it is best seen in. */
  readonly view: (typeof VIEWS)[number];
  /** The path of the list that it is about, where that is not the first one. */
  readonly list: string | null;
  /** Upstream calls when nothing is cached. */
  readonly calls: number;
  /** Further search words, in both languages. */
  readonly words: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Parses an example, which starts with comments: `# title:`, `# title-fr:`, `# about:`, `# about-fr:`, `# group:`,
 * `# view:`, `# calls:`, `# words:` and `# variables:` (JSON on one line). Throws an Error if one of them is missing;
 * `# list:` may be.
 */
export function readExample(name: string, text: string): Example {
  const note = (key: string): string => {
    const value = new RegExp(`^# ${key}: (.+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`The example ${name} has no line "# ${key}:".`);
    return value;
  };
  const oneOf = <T extends string>(key: string, known: readonly T[]): T => {
    const found = known.find((one) => one === note(key));
    if (found === undefined)
      throw new Error(`The line "# ${key}:" of the example ${name} is none of ${known.join(', ')}.`);
    return found;
  };
  return {
    name,
    title: { en: note('title'), fr: note('title-fr') },
    about: { en: note('about'), fr: note('about-fr') },
    group: oneOf('group', EXAMPLE_GROUPS),
    view: oneOf('view', VIEWS),
    list: /^# list: (.+)$/m.exec(text)?.[1] ?? null,
    calls: Number(note('calls')),
    words: note('words'),
    query: text.replace(/^(#.*\n)+/, ''),
    variables: readVariables(name, note('variables')),
  };
}

function readVariables(name: string, text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`The variables of the example ${name} are not an object.`);
  }
  return Object.fromEntries(Object.entries(value));
}
