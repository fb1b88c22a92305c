import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import { useTexts } from '../language/texts.js';
import { ownKeys } from '../state/own-keys.js';
import { useStore } from '../store/store.js';
import { SIDEBAR_TEXTS } from './texts.js';

/** The services that take keys; for the others, people log in. */
const KEYED = SERVICES.filter((name) => SERVICE_ENTRIES[name].credential.kind === 'key');

/** Inputs for the user's own keys, which are held only in memory. `onDone` is called when one was edited. */
export function KeyFields({ onDone }: { onDone(): void }) {
  const keys = useStore(ownKeys);
  const texts = useTexts(SIDEBAR_TEXTS);
  return (
    <>
      <p>
        <small>{texts.keysNote}</small>
      </p>
      {KEYED.map((name) => (
        <label key={name}>
          {name}{' '}
          <input
            type="password"
            autoComplete="off"
            placeholder={texts.operatorKey}
            data-key-of={name}
            value={keys[name] ?? ''}
            onBlur={onDone}
            onChange={({ target }) => ownKeys.set({ ...keys, [name]: target.value.trim() })}
          />
        </label>
      ))}
    </>
  );
}
