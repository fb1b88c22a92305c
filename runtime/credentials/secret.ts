import { inspect } from 'node:util';

/** What is printed in place of a secret. */
const HIDDEN = '[secret]';

/**
 * A text that must not be printed. It does not show in logs, JSON, template strings or `util.inspect`; only `reveal`
 * gives it out.
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
