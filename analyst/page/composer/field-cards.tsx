import { useGraphiQL } from '@graphiql/react';
import { useEffect, useId, useState } from 'react';
import { Button } from '../elements/button.js';
import { focusInPanel } from '../elements/panels.js';
import { useTexts } from '../state/language.js';
import { changePage } from '../state/page-state.js';
import { type FoundField, fieldSearchOf } from './find-fields.js';
import { labelOfField, Sentence } from './labels.js';
import { COMPOSER_TEXTS } from './texts.js';

/** Fields that stand beside the questions that a search finds. */
const SHOWN = 4;

/** Milliseconds without typing before fields are searched: the first time, all of them are read. */
const PAUSE_MS = 300;

/** The fields nearest to a text, each of which opens the composer, and the composer itself. */
export function FieldCards({ text, onClose }: { text: string; onClose(): void }) {
  const texts = useTexts(COMPOSER_TEXTS);
  const found = useFoundFields(text);
  const id = useId();
  const compose = (sought: string): void => {
    onClose();
    changePage({ sought });
    focusInPanel('composer', '[data-search="fields"]');
  };
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{texts.inComposer}</h3>
      <ul>
        {found.map((one) => (
          <li key={one.id}>
            <FieldCard found={one} onChoose={compose} />
          </li>
        ))}
        <li>
          <Button className="pa-example" onClick={() => compose('')}>
            <strong>{texts.title}</strong>
            <span>{texts.about}</span>
          </Button>
        </li>
      </ul>
    </section>
  );
}

function FieldCard({ found: { id, field }, onChoose }: { found: FoundField; onChoose(sought: string): void }) {
  const label = labelOfField(field.name, id);
  return (
    <Button className="pa-example" onClick={() => onChoose(label)}>
      <strong>{label}</strong>
      <code>{id}</code>
      <Sentence field={field} {...(id === `Query.${field.name}` && { root: field.name })} />
    </Button>
  );
}

function useFoundFields(text: string): readonly FoundField[] {
  const schema = useGraphiQL((state) => state.schema);
  const [found, setFound] = useState<readonly FoundField[]>([]);
  useEffect(() => {
    if (!schema) return;
    const timer = window.setTimeout(() => setFound(fieldSearchOf(schema)(text).slice(0, SHOWN)), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [schema, text]);
  return found;
}
