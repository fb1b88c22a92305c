import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import { EXAMPLE_GROUPS } from '../../read-example.js';
import { Button } from '../elements/button.js';
import { VIEW_TEXTS } from '../labels/texts.js';
import { language, textsNow, useTexts } from '../state/language.js';
import { notify } from '../state/page-state.js';
import { useStore } from '../state/store.js';
import { useOpenExample } from '../tabs/open-tab.js';
import { OPTION_SOURCES } from '../variables/options.js';
import { EXAMPLES } from './catalogue.js';
import { createExampleSearch, type FoundExample } from './search-examples.js';
import { EXAMPLE_TEXTS } from './texts.js';

/** Loaded with the first search. */
const FieldCards = lazy(async () => ({ default: (await import('../composer/field-cards.js')).FieldCards }));

/** Examples that are shown for a search; the others are further from it. */
const SHOWN = 8;

/** The examples by subject, or those nearest to a search; choosing one opens and runs it, and closes the panel. */
export function ExamplesPanel({ onClose }: { onClose(): void }) {
  const texts = useTexts(EXAMPLE_TEXTS);
  const [text, setText] = useState('');
  const { of, found, unknown } = useFound(text.trim());
  const open = useOpenExample();
  const choose = ({ example, variables, filled, leftOut }: FoundExample): void => {
    onClose();
    if (leftOut.length > 0) notify(() => textsNow(EXAMPLE_TEXTS).leftOut(leftOut.join(', ')));
    const commune = filled.find(({ code }) => code === variables['insee']);
    if (commune) OPTION_SOURCES.commune.picked?.(commune);
    open(example, variables);
  };
  const isFound = text.trim() !== '' && of === text.trim();
  // Enter may come before what it chooses.
  const isEntered = useRef(false);
  const chooseFirst = (): void => {
    if (!isEntered.current || !isFound || found[0] === undefined) return;
    isEntered.current = false;
    choose(found[0]);
  };
  useEffect(() => {
    chooseFirst();
  });
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    isEntered.current = true;
    chooseFirst();
  };
  return (
    <>
      <form className="pa-dialog-head" onSubmit={submit}>
        <h2>{texts.title}</h2>
        <input
          type="search"
          // biome-ignore lint/a11y/noAutofocus: a dialog gives the focus to its first field
          autoFocus
          aria-label={texts.search}
          placeholder={texts.hint}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            isEntered.current = false;
          }}
        />
        <Button onClick={onClose}>{texts.close}</Button>
      </form>
      <p role="status" className="pa-note">
        {text.trim() === '' ? texts.found(EXAMPLES.length) : of !== text.trim() ? '…' : texts.nearest(unknown)}
      </p>
      <div className="pa-examples">
        {text.trim() === '' ? (
          EXAMPLE_GROUPS.map((group) => (
            <Cards
              key={group}
              title={texts.group[group]}
              of={ALL.filter(({ example }) => example.group === group)}
              onChoose={choose}
            />
          ))
        ) : (
          <>
            <Cards title={texts.questions} of={found.slice(0, SHOWN)} onChoose={choose} />
            <Suspense fallback={null}>
              <FieldCards text={text} onClose={onClose} />
            </Suspense>
          </>
        )}
      </div>
    </>
  );
}

const ALL: readonly FoundExample[] = EXAMPLES.map((example) => ({
  ...{ example, variables: example.variables },
  ...{ filled: [], leftOut: [] },
}));

interface CardsProps {
  title: string;
  of: readonly FoundExample[];
  onChoose(example: FoundExample): void;
}

function Cards({ title, of, onChoose }: CardsProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <ul>
        {of.map((found) => (
          <li key={found.example.name}>
            <Card of={found} onChoose={() => onChoose(found)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Card({ of: { example, filled, leftOut }, onChoose }: { of: FoundExample; onChoose(): void }) {
  const texts = useTexts(EXAMPLE_TEXTS);
  const view = useTexts(VIEW_TEXTS);
  useStore(language);
  return (
    <Button className="pa-example" onClick={onChoose}>
      <strong>{textsNow(example.title)}</strong>
      {filled.length > 0 && <em>{texts.filled(filled.map(({ label }) => label).join(', '))}</em>}
      {leftOut.length > 0 && <em>{texts.leftOut(leftOut.join(', '))}</em>}
      <span>{textsNow(example.about)}</span>
      <small>
        {view[example.view]} · {texts.calls(example.calls)}
      </small>
    </Button>
  );
}

/** What a search found; while it is going on, what the last one found. */
interface Found {
  /** The text that was searched. */
  readonly of: string;
  readonly found: readonly FoundExample[];
  /** Its words that are not understood. */
  readonly unknown: string;
}

function useFound(text: string): Found {
  const search = useRef<ReturnType<typeof createExampleSearch> | null>(null);
  const [found, setFound] = useState<Found>({ of: '', found: [], unknown: '' });
  useEffect(() => {
    if (text === '') return;
    const stop = new AbortController();
    const timer = window.setTimeout(async () => {
      search.current ??= createExampleSearch(EXAMPLES);
      const result = await (await search.current)(text, stop.signal);
      if (!stop.signal.aborted) setFound({ of: text, ...result });
    }, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return found;
}

/** Milliseconds without typing before names are looked up. */
const PAUSE_MS = 120;
