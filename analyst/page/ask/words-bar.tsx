import { useRef, useState } from 'react';
import { withValues } from '../../questions/question.js';
import { MOST_CHARACTERS, readWords } from '../../questions/words.js';
import { Button } from '../elements/controls.js';
import { useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { asking, askQuestion, changeDraft, composeNow } from './asking.js';
import { describeValue } from './describe.js';
import { findersNow, learnFor, rememberName } from './known.js';
import { ASK_TEXTS } from './texts.js';

/** Where a question is asked in words. Enter runs it if every word was understood; else the reader decides. */
export function WordsBar() {
  const texts = useTexts(ASK_TEXTS);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const latest = useRef(0);
  const submit = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    if (text.trim() === '') return;
    latest.current += 1;
    const own = latest.current;
    setBusy(true);
    try {
      await understand(text, () => own === latest.current);
    } finally {
      if (own === latest.current) setBusy(false);
    }
  };
  return (
    <search className="pa-words">
      <form onSubmit={(event) => void submit(event)} aria-busy={isBusy}>
        <input
          type="search"
          aria-label={texts.words}
          placeholder={texts.wordsHint}
          maxLength={MOST_CHARACTERS}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit">{texts.ask}</Button>
      </form>
    </search>
  );
}

async function understand(text: string, isLatest: () => boolean): Promise<void> {
  const { question, unknown, choices } = await readWords(text, await findersNow());
  for (const { meanings } of choices) for (const { value, label } of meanings) rememberName(value, label);
  await learnFor(question);
  if (!isLatest()) return;
  const isWhole = question.subject !== '' && unknown.length === 0 && choices.length === 0;
  if (isWhole && composeNow(question).composed !== null) await askQuestion(question);
  else {
    asking.set({ ...asking.get(), asked: null, without: [] });
    changeDraft(question, { unknown, choices });
  }
}

/** What a sentence left over: words that nothing took, and words that mean several things. */
export function LeftOver() {
  const { draft, unknown, choices, without } = useStore(asking);
  const texts = useTexts(ASK_TEXTS);
  if (unknown.length + choices.length + without.length === 0) return null;
  return (
    <div className="pa-left-over" role="status">
      {unknown.map((words) => (
        <p key={words}>
          {texts.notUnderstood(words)} <Button onClick={() => settle(words, true)}>{texts.searchIt}</Button>{' '}
          <Button onClick={() => settle(words, false)}>{texts.leaveOut}</Button>
        </p>
      ))}
      {choices.map(({ text, meanings }) => (
        <p key={text}>
          {texts.whichOne(text)}{' '}
          {meanings.map(({ criterion, value, label }) => (
            <Button
              key={value}
              onClick={() =>
                changeDraft(withValues(draft, criterion, [...(draft.criteria[criterion] ?? []), value]), {
                  choices: choices.filter((other) => other.text !== text),
                })
              }
            >
              {texts.kinds[value.split(':')[0] as keyof typeof texts.kinds] ?? texts.kinds.occupation}{' '}
              {label || describeValue(criterion, value)}
            </Button>
          ))}
        </p>
      ))}
      {without.map((name) => (
        <p key={name}>{texts.listNotInLink(name)}</p>
      ))}
    </div>
  );
}

/** Takes words as those to search for, or leaves them out. */
function settle(words: string, isSearched: boolean): void {
  const { draft, unknown } = asking.get();
  const sought = [...(draft.criteria['words'] ?? []), words].join(' ');
  const next = isSearched ? withValues(draft, 'words', [sought]) : draft;
  changeDraft(next, { unknown: unknown.filter((other) => other !== words) });
}
