import { ownKeys } from '../state/own-keys.js';
import { useStore } from '../state/store.js';

const FIELDS = [
  { name: 'workStudy', label: 'work-study' },
  { name: 'volunteering', label: 'volunteering' },
] as const;

/** Fields for one's own keys, which live in the memory of the page alone. `onDone` is called when one was written. */
export function KeyFields({ onDone }: { onDone(): void }) {
  const keys = useStore(ownKeys);
  return (
    <>
      <p>
        <small>
          Each goes to its service and nowhere else. They live in this page until it is closed: never stored, never in a
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
