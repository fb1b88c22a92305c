import { lazy, Suspense, useRef, useState } from 'react';
import { Boundary } from '../elements/boundary.js';
import { Button } from '../elements/button.js';
import { ExamplesIcon } from '../elements/icons.js';
import { KEY_TEXTS, useKey } from '../elements/keys.js';
import { useTexts } from '../state/language.js';
import { EXAMPLE_TEXTS } from './texts.js';

/** The panel with its search, which is loaded when it is first opened. */
const ExamplesPanel = lazy(async () => ({ default: (await import('./examples-panel.js')).ExamplesPanel }));

/** Opens the panel of examples. */
export function ExamplesButton() {
  const texts = useTexts(EXAMPLE_TEXTS);
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { F4 } = useTexts(KEY_TEXTS);
  const open = (): void => {
    setOpen(true);
    dialog.current?.showModal();
  };
  useKey('F4', open);
  return (
    <>
      <Button className="pa-top" aria-haspopup="dialog" aria-keyshortcuts="F4" title={`${F4} (F4)`} onClick={open}>
        <ExamplesIcon /> {texts.examples}
      </Button>
      <dialog ref={dialog} className="pa-dialog" aria-label={texts.title} onClose={() => setOpen(false)}>
        {isOpen && (
          <Boundary>
            <Suspense fallback={null}>
              <ExamplesPanel onClose={() => dialog.current?.close()} />
            </Suspense>
          </Boundary>
        )}
      </dialog>
    </>
  );
}
