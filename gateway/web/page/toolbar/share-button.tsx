import { ToolbarButton } from '@graphiql/react';
import { LinkIcon } from '../elements/icons.js';
import { copyText } from '../state/copy-text.js';
import { useFrontQuestion } from '../tabs/front-question.js';
import { shareFragment } from '../tabs/sharing.js';

/** Copies a link to the query in front. It carries query and variables, never keys. */
export function ShareButton() {
  const question = useFrontQuestion();
  const share = async (): Promise<void> => {
    const address = `${window.location.origin}${window.location.pathname}${shareFragment(question())}`;
    await copyText(address, 'Link copied: query and variables, no keys.');
  };
  return (
    <ToolbarButton label="Copy a link to this query" onClick={() => void share()}>
      <LinkIcon />
    </ToolbarButton>
  );
}
