import { useTexts } from '../language/texts.js';
import { ownKeys } from '../state/own-keys.js';
import { useStore } from '../store/store.js';
import { SIDEBAR_TEXTS } from './texts.js';

const FIELDS = [
  { name: 'workStudy', label: 'work-study' },
  { name: 'volunteering', label: 'volunteering' },
] as const;

/** Inputs for the user's own keys, which are held only in memory. `onDone` is called when one was edited. */
export function KeyFields({ onDone }: { onDone(): void }) {
  const keys = useStore(ownKeys);
  const texts = useTexts(SIDEBAR_TEXTS);
  return (
    <>
      <p>
        <small>{texts.keysNote}</small>
      </p>
      {FIELDS.map(({ name, label }) => (
        <label key={name}>
          {label}{' '}
          <input
            type="password"
            autoComplete="off"
            placeholder={texts.operatorKey}
            data-key-of={label}
            value={keys[name]}
            onBlur={onDone}
            onChange={({ target }) => ownKeys.set({ ...keys, [name]: target.value.trim() })}
          />
        </label>
      ))}
    </>
  );
}
