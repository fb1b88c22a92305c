import { type ReactNode, useState } from 'react';
import { sayCount } from '../elements/say.js';

interface SomeProps<T> {
  of: readonly T[];
  first: number;
  /** What one of them is called. */
  name: string;
  children(item: T): ReactNode;
}

/** The first items of a list, and a button for all of them that says how many more there are. */
export function Some<T>({ of, first, name, children }: SomeProps<T>) {
  const [showsAll, setShowsAll] = useState(false);
  // One more than shown is no reason for a button.
  const isShort = showsAll || of.length <= first + 1;
  return (
    <>
      {(isShort ? of : of.slice(0, first)).map(children)}
      {!isShort && (
        <li>
          <button type="button" className="pa-all" onClick={() => setShowsAll(true)}>
            {sayCount(of.length - first, `more ${name}`)}
          </button>
        </li>
      )}
    </>
  );
}
