import { ToolbarButton } from '@graphiql/react';
import { LinkIcon } from '../elements/icons.js';
import { textsNow, useTexts } from '../language/texts.js';
import { copyText } from '../state/copy-text.js';
import { sharedMemory } from '../state/tab-memory.js';
import { useActiveQuery } from '../tabs/active-query.js';
import { shareFragment } from '../tabs/sharing.js';
import { TOOLBAR_TEXTS } from './texts.js';

/** Copies a link to the current query, with its variables and the choices made for its rows, without keys. */
export function ShareButton() {
  const readQuery = useActiveQuery();
  const texts = useTexts(TOOLBAR_TEXTS);
  const share = async (): Promise<void> => {
    const { origin, pathname } = window.location;
    const address = `${origin}${pathname}${shareFragment({ ...readQuery(), memory: sharedMemory() })}`;
    await copyText(address, () => textsNow(TOOLBAR_TEXTS).linkCopied);
  };
  return (
    <ToolbarButton label={texts.copyLink} onClick={() => void share()}>
      <LinkIcon />
    </ToolbarButton>
  );
}
