import { ToolbarButton } from '@graphiql/react';
import { copyText } from '../copy-text.js';
import { useFrontQuestion } from '../front-question.js';
import { shareFragment } from '../sharing.js';
import { LinkIcon } from '../sidebar/icons.js';

/** Copies a link to the question in front. It carries query and variables, never keys. */
export function ShareButton() {
  const question = useFrontQuestion();
  const share = async (): Promise<void> => {
    const address = `${window.location.origin}${window.location.pathname}${shareFragment(question())}`;
    await copyText(address, 'Link copied: query and variables, no keys.');
  };
  return (
    <ToolbarButton label="Copy a link to this question" onClick={() => void share()}>
      <LinkIcon />
    </ToolbarButton>
  );
}
