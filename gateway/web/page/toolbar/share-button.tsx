import { ToolbarButton, useGraphiQL } from '@graphiql/react';
import { copyText } from '../copy-text.js';
import { shareFragment } from '../sharing.js';
import { LinkIcon } from '../sidebar/icons.js';

/** Copies a link to the question in front. It carries query and variables, never keys. */
export function ShareButton() {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const share = async (): Promise<void> => {
    const question = { query: queryEditor?.getValue() ?? '', variables: variableEditor?.getValue() ?? '' };
    const address = `${window.location.origin}${window.location.pathname}${shareFragment(question)}`;
    await copyText(address, 'Link copied: query and variables, no keys.');
  };
  return (
    <ToolbarButton label="Copy a link to this question" onClick={() => void share()}>
      <LinkIcon />
    </ToolbarButton>
  );
}
