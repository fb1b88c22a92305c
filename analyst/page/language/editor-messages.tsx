import { useMonaco } from '@graphiql/react';
import { useEffect } from 'react';
import { toFrenchMessage } from './french-messages.js';
import { language } from './language.js';

/** Makes the editor report errors in a query in the page's language, since GraphQL's own checks write English. */
export function EditorMessages() {
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    if (monaco === undefined) return;
    const { editor } = monaco;
    const { setModelMarkers } = editor;
    editor.setModelMarkers = (model, owner, markers) => {
      const isFrench = language.get() === 'fr';
      const said = markers.map((one) =>
        isFrench ? { ...one, message: toFrenchMessage(one.message) ?? one.message } : one,
      );
      setModelMarkers(model, owner, said);
    };
    return () => {
      editor.setModelMarkers = setModelMarkers;
    };
  }, [monaco]);
  return null;
}
