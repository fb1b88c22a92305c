import { ownKeys } from '../state/own-keys.js';
import { useStore } from '../store/store.js';

const FIELDS = [
  { name: 'workStudy', label: 'work-study' },
  { name: 'volunteering', label: 'volunteering' },
] as const;

/** Inputs for the user's own keys, which are held only in memory. `onDone` is called when one was edited. */
export function KeyFields({ onDone }: { onDone(): void }) {
  const keys = useStore(ownKeys);
  return (
    <>
      <p>
        <small>
          Each goes to its service and nowhere else. They stay in this page until it is closed: never stored, never in a
          link.
        </small>
      </p>
      {FIELDS.map(({ name, label }) => (
        <label key={name}>
          {label}{' '}
          <input
            type="password"
            autoComplete="off"
            placeholder="the operator's key"
            value={keys[name]}
            onBlur={onDone}
            onChange={({ target }) => ownKeys.set({ ...keys, [name]: target.value.trim() })}
          />
        </label>
      ))}
    </>
  );
}
