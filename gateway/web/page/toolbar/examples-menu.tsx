import { ToolbarMenu } from '@graphiql/react';
import type { Example } from '../../read-example.js';
import { ExamplesIcon } from '../elements/icons.js';
import { EXAMPLES } from '../tabs/examples.js';
import { useOpenQuestion } from '../tabs/open-question.js';

/** Opens a query in a tab of its own. */
export function ExamplesMenu() {
  const open = useOpenQuestion();
  return (
    <ToolbarMenu
      button={
        <button
          type="button"
          className="graphiql-un-styled graphiql-toolbar-button"
          title="Examples"
          aria-label="Examples"
        >
          <ExamplesIcon />
        </button>
      }
    >
      {EXAMPLES.map((example) => (
        <ToolbarMenu.Item key={example.name} title={example.about} onSelect={() => open(asQuestion(example))}>
          {example.title}
        </ToolbarMenu.Item>
      ))}
    </ToolbarMenu>
  );
}

function asQuestion({ query, variables }: Example) {
  return { query, variables: Object.keys(variables).length === 0 ? '' : JSON.stringify(variables, null, 2) };
}
