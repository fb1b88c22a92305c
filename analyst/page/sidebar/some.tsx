import { type ReactNode, useState } from 'react';

interface SomeProps<T> {
  of: readonly T[];
  first: number;
  /** The button's text, by the number of further items. */
  more(count: number): string;
  children(item: T): ReactNode;
}

/** The first items of a list, and a button that shows the rest. */
export function Some<T>({ of, first, more, children }: SomeProps<T>) {
  const [showsAll, setShowsAll] = useState(false);
  // A single further item is shown directly, without a button.
  const isShort = showsAll || of.length <= first + 1;
  return (
    <>
      {(isShort ? of : of.slice(0, first)).map(children)}
      {!isShort && (
        <li>
          <button type="button" className="pa-all" onClick={() => setShowsAll(true)}>
            {more(of.length - first)}
          </button>
        </li>
      )}
    </>
  );
}
