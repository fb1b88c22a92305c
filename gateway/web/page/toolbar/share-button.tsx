import { ToolbarButton } from '@graphiql/react';
import { LinkIcon } from '../elements/icons.js';
import { copyText } from '../state/copy-text.js';
import { useActiveQuery } from '../tabs/active-query.js';
import { shareFragment } from '../tabs/sharing.js';

/** Copies a link to the current query, with variables, without keys. */
export function ShareButton() {
  const readQuery = useActiveQuery();
  const share = async (): Promise<void> => {
    const address = `${window.location.origin}${window.location.pathname}${shareFragment(readQuery())}`;
    await copyText(address, 'Link copied: query and variables, no keys.');
  };
  return (
    <ToolbarButton label="Copy a link to this query" onClick={() => void share()}>
      <LinkIcon />
    </ToolbarButton>
  );
}
