import { inspect } from 'node:util';

/** What is printed in place of a secret. */
const HIDDEN = '[secret]';

/**
 * A text that must not be printed. Logs, JSON, template strings and `util.inspect` hide it; only `reveal` returns it.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
