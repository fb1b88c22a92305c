import { useId } from 'react';
import { useTexts } from '../language/texts.js';
import { MAX_NAME, type Place } from './saved-query.js';
import { SAVED_TEXTS } from './texts.js';

interface PlaceFieldsProps {
  place: Place;
  /** Names to suggest. */
  folders: readonly string[];
  /** Why the place cannot be used; null if it can. */
  problem?: string | null;
  onChange(part: Partial<Place>): void;
}

/** Inputs for the name and the folder of a query. */
export function PlaceFields({ place, folders, problem = null, onChange }: PlaceFieldsProps) {
  const texts = useTexts(SAVED_TEXTS);
  const id = useId();
  return (
    <>
      <label>
        {texts.name}{' '}
        <input
          type="text"
          required
          maxLength={MAX_NAME}
          value={place.name}
          {...(problem !== null && { 'aria-invalid': true, 'aria-describedby': `${id}-problem` })}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </label>
      <label>
        {texts.folder}{' '}
        <input
          type="text"
          list={`${id}-folders`}
          maxLength={MAX_NAME}
          placeholder={texts.noFolder}
          value={place.folder}
          onChange={({ target }) => onChange({ folder: target.value })}
        />
      </label>
      <datalist id={`${id}-folders`}>
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      {problem !== null && (
        <p id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
