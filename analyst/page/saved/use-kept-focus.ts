import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react';
import { isSamePlace, type SavedQuery } from './saved-query.js';

/** What a panel needs to keep the focus inside it. */
interface KeptFocus {
  readonly ref: RefObject<HTMLDivElement | null>;
  onFocus(event: FocusEvent): void;
}

/**
 * Keeps the focus in the panel when the pressed element disappears: moves it to the query that appeared, such as a
 * renamed one, else to the one after those that disappeared, else to the last, else to the heading.
 */
export function useKeptFocus(shown: readonly SavedQuery[]): KeptFocus {
  const ref = useRef<HTMLDivElement>(null);
  const held = useRef<{ element: Element; at: number } | null>(null);
  const before = useRef(shown);
  const names = () => [...(ref.current?.querySelectorAll<HTMLElement>('.pa-saved-name') ?? [])];
  useLayoutEffect(() => {
    const gone = before.current.length - shown.length;
    const come = shown.findIndex((query) => !before.current.some((one) => isSamePlace(one, query)));
    before.current = shown;
    if (held.current === null || held.current.element.isConnected || document.activeElement !== document.body) return;
    const following = Math.max(0, held.current.at + 1 - Math.max(0, gone));
    const next = names().at(come >= 0 ? come : Math.min(following, shown.length - 1));
    (next ?? ref.current?.querySelector('h2'))?.focus();
  });
  return {
    ref,
    onFocus: ({ target: element }) => {
      const isBefore = (name: Element) => name.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
      held.current = { element, at: names().filter(isBefore).length - 1 };
    },
  };
}
