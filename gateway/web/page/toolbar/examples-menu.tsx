import { ToolbarMenu } from '@graphiql/react';
import type { Example } from '../../read-example.js';
import { ExamplesIcon } from '../elements/icons.js';
import { EXAMPLES } from '../tabs/examples.js';
import { useOpenQuery } from '../tabs/open-query.js';

/** Opens an example in a new tab. */
export function ExamplesMenu() {
  const open = useOpenQuery();
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
        <ToolbarMenu.Item key={example.name} title={example.about} onSelect={() => open(asQuery(example))}>
          {example.title}
        </ToolbarMenu.Item>
      ))}
    </ToolbarMenu>
  );
}

function asQuery({ query, variables }: Example) {
  return { query, variables: Object.keys(variables).length === 0 ? '' : JSON.stringify(variables, null, 2) };
}
