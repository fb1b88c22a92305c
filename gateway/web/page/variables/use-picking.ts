import { useEffect, useState } from 'react';
import type { Option, OptionSource } from './named-codes.js';
import { plainName } from './plain-name.js';

/** The values to pick from, and those that are picked. */
export interface Picking {
  source: OptionSource;
  /** The chosen codes. */
  values: readonly string[];
  isMultiple: boolean;
  /** A typed text as a code; null if it is none. */
  codeOf(text: string): string | null;
  onChange(values: readonly string[]): void;
}

/** The state of a picker and the handlers of its input: what is typed, the options for it, and the active one. */
export function usePicking({ source, values, isMultiple, codeOf, onChange }: Picking) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const [awaited, setAwaited] = useState<'enter' | 'leave' | null>(null);
  const options = useOptions(source, isOpen ? (typed ?? '') : null);
  const active = isOpen ? options?.[Math.min(at, options.length - 1)] : undefined;
  const close = (): void => {
    setOpen(false);
    setTyped(null);
    setAt(0);
    setAwaited(null);
  };
  const take = (code: string): void => {
    onChange(isMultiple ? [...values.filter((value) => value !== code), code] : [code]);
    close();
  };
  const pick = (option: Option): void => {
    source.picked?.(option);
    take(option.code);
  };
  // Enter may be pressed, or the field left, before the options arrive.
  useEffect(() => {
    if (awaited === null || options === null) return;
    setAwaited(null);
    if (awaited === 'leave') leave();
    else if (options[0]) pick(options[0]);
  });
  const leave = (): void => {
    const text = typed?.trim() ?? '';
    const code = codeOf(text);
    if (text !== '' && active && plainName(active.label) === plainName(text)) pick(active);
    else if (text !== '' && code !== null) take(code);
    else if (typed !== null && text === '' && !isMultiple) onChange([]);
    const isSearched = text !== '' && code === null && isOpen && options === null;
    if (isSearched) setAwaited('leave');
    else close();
  };
  const move = (step: number): void => {
    if (isOpen && options) setAt((at + step + options.length) % Math.max(1, options.length));
    setOpen(true);
  };
  const enter = (): void => {
    if (active) pick(active);
    else if (options === null) setAwaited('enter');
    else leave();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const act = keyActions({ move, ...(isOpen && { enter, close }) })[event.key];
    if (event.key === 'Backspace' && isMultiple && !typed) onChange(values.slice(0, -1));
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const handlers = {
    onFocus: ({ target }: React.FocusEvent<HTMLInputElement>) => target.select(),
    onClick: () => setOpen(true),
    onBlur: leave,
    onChange: ({ target }: React.ChangeEvent<HTMLInputElement>) => {
      setTyped(target.value);
      setOpen(true);
      setAt(0);
      setAwaited(null);
    },
    onKeyDown,
  };
  return { typed, isOpen, options, active, pick, handlers };
}

interface KeyActions {
  move(step: number): void;
  /** Undefined while the list is closed, when Enter submits the form. */
  enter?(): void;
  close?(): void;
}

function keyActions({ move, enter, close }: KeyActions): Readonly<Record<string, (() => void) | undefined>> {
  return { ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: enter, Escape: close };
}

/** Milliseconds without typing before options are looked up. */
const PAUSE_MS = 120;

/** The options for what is typed; null while they are looked up, and while the list is closed. */
function useOptions(source: OptionSource, typed: string | null): readonly Option[] | null {
  const [options, setOptions] = useState<readonly Option[] | null>(null);
  useEffect(() => {
    setOptions(null);
    if (typed === null) return;
    const stop = new AbortController();
    const timer = window.setTimeout(() => {
      source.find(typed, stop.signal).then(
        (found) => stop.signal.aborted || setOptions(found),
        () => stop.signal.aborted || setOptions([]),
      );
    }, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [source, typed]);
  return options;
}
