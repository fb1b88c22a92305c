import { useRef, useState } from 'react';
import { Boundary } from '../elements/boundary.js';
import { ExamplesIcon } from '../elements/icons.js';
import { useTexts } from '../language/texts.js';
import { ExamplesPanel } from './examples-panel.js';
import { EXAMPLE_TEXTS } from './texts.js';

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
