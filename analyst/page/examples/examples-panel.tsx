import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { EXAMPLE_GROUPS } from '../../read-example.js';
import { Boundary } from '../elements/boundary.js';
import { ExamplesIcon } from '../elements/icons.js';
import { RESULT_TEXTS } from '../results/texts.js';
import { language, useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { useOpenExample } from '../tabs/open-tab.js';
import { OPTION_SOURCES } from '../variables/options.js';
import { EXAMPLES } from './catalogue.js';
import { type FilledExample, fillIn, findValues, type NamedValues, searchExamples } from './search-examples.js';
import { EXAMPLE_TEXTS } from './texts.js';

/** The examples by subject, searchable; choosing one opens and runs it, and closes the panel. */
function ExamplesPanel({ onClose }: { onClose(): void }) {
  const texts = useTexts(EXAMPLE_TEXTS);
  const [text, setText] = useState('');
  const found = useFound(text);
  const open = useOpenExample();
  const choose = ({ example, variables, filled }: FilledExample): void => {
    onClose();
    const commune = filled.find(({ code }) => code === variables['insee']);
    if (commune) OPTION_SOURCES.commune.picked?.(commune);
    open(example, filled.length > 0 ? variables : example.variables);
  };
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '' && found?.[0]) choose(found[0]);
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
          onChange={({ target }) => setText(target.value)}
        />
        <button type="button" onClick={onClose}>
          {texts.close}
        </button>
      </form>
      <p role="status" className="pa-note">
        {found === null ? '…' : found.length === 0 ? texts.nothing : texts.found(found.length)}
      </p>
      <div className="pa-examples">
        {EXAMPLE_GROUPS.map((group) => {
          const ofGroup = (found ?? []).filter(({ example }) => example.group === group);
          return ofGroup.length === 0 ? null : (
            <Group key={group} title={texts.group[group]} of={ofGroup} onChoose={choose} />
          );
        })}
      </div>
    </>
  );
}

interface GroupProps {
  title: string;
  of: readonly FilledExample[];
  onChoose(example: FilledExample): void;
}

function Group({ title, of, onChoose }: GroupProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <ul>
        {of.map((filled) => (
          <li key={filled.example.name}>
            <Card of={filled} onChoose={() => onChoose(filled)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Card({ of: { example, filled }, onChoose }: { of: FilledExample; onChoose(): void }) {
  const texts = useTexts(EXAMPLE_TEXTS);
  const { view } = useTexts(RESULT_TEXTS);
  const spoken = useStore(language);
  return (
    <button type="button" className="pa-example" onClick={onChoose}>
      <strong>{example.title[spoken]}</strong>
      {filled.length > 0 && <em>{texts.filled(filled.map(({ label }) => label).join(', '))}</em>}
      <span>{example.about[spoken]}</span>
      <small>
        {view[example.view]} · {texts.calls(example.calls)}
      </small>
    </button>
  );
}

/** The examples that match, with what the search names filled in; null while names are looked up. */
function useFound(text: string): readonly FilledExample[] | null {
  const search = useMemo(() => searchExamples(EXAMPLES, text), [text]);
  const [named, setNamed] = useState<{ readonly text: string; readonly values: NamedValues | null }>({
    text: '',
    values: {},
  });
  useEffect(() => {
    const stop = new AbortController();
    const timer = window.setTimeout(() => {
      findValues({ text, rest: search.rest }, OPTION_SOURCES, stop.signal).then(
        (values) => stop.signal.aborted || setNamed({ text, values }),
        () => stop.signal.aborted || setNamed({ text, values: search.rest === '' ? {} : null }),
      );
    }, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [text, search]);
  return useMemo(() => {
    if (search.rest !== '' && named.text !== text) return null;
    const values = named.text === text ? named.values : {};
    return values === null ? [] : search.found.flatMap((example) => fillIn(example, values) ?? []);
  }, [search, named, text]);
}

/** Milliseconds without typing before names are looked up. */
const PAUSE_MS = 120;

/** Opens the panel of examples. */
export function ExamplesButton() {
  const texts = useTexts(EXAMPLE_TEXTS);
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = (): void => {
    setOpen(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" className="pa-top" aria-haspopup="dialog" onClick={open}>
        <ExamplesIcon /> {texts.examples}
      </button>
      <dialog ref={dialog} className="pa-dialog" aria-label={texts.title} onClose={() => setOpen(false)}>
        {isOpen && (
          <Boundary>
            <ExamplesPanel onClose={() => dialog.current?.close()} />
          </Boundary>
        )}
      </dialog>
    </>
  );
}
