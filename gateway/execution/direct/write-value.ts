import { notAtHand } from '../../../schema/at-hand.js';
import type { Writer } from './writer.js';

/** Writes null for null and undefined. */
export function writeNullable({ write, fetch, ...of }: Writer): Writer {
  return {
    ...of,
    fetch: fetch && ((value, run) => void (value === null || value === undefined || fetch(value, run))),
    write: (value, run) => (value === null || value === undefined ? 'null' : write(value, run)),
  };
}

/** Writes a value that may not be null. A null ends the run: the library knows what else it nulls. */
export function writeNonNull({ write, ...of }: Writer): Writer {
  return {
    ...of,
    write(value, run) {
      if (value === null || value === undefined) throw notAtHand('unfit');
      return write(value, run);
    },
  };
}

/** Writes an object, or null. */
export function writeValueOf({ write, ...of }: Writer): Writer {
  return writeNullable({
    ...of,
    write(value, run) {
      if (typeof value !== 'object') throw notAtHand('unfit');
      if (value instanceof Error) throw notAtHand('failed');
      return write(value, run);
    },
  });
}

/** Items of a list between two looks at the clock. */
const CHECKED_EVERY = 16;

/** Writes a list, or null. A long one ends a run that has used up its time. */
export function writeList({ write, fetch, ...of }: Writer): Writer {
  return writeNullable({
    ...of,
    fetch: fetch && ((list, run) => void (Array.isArray(list) && run.followEach(list, fetch))),
    write(list, run) {
      if (!Array.isArray(list)) throw notAtHand('unfit');
      let text = '[';
      for (let index = 0; index < list.length; index++) {
        if (index > 0) text += ',';
        if (index % CHECKED_EVERY === CHECKED_EVERY - 1 && run?.isOver()) throw notAtHand('long');
        text += write(list[index], run);
      }
      return `${text}]`;
    },
  });
}
