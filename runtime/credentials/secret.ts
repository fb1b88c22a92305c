import { createHash, timingSafeEqual } from 'node:crypto';
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

/** Compares a text from outside with a secret, in a time that reveals nothing about either. */
export function equalInConstantTime(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
