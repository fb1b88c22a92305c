import { ToolbarMenu, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import type { Example } from '../../read-example.js';
import { EXAMPLES } from '../examples.js';
import { ExamplesIcon } from '../sidebar/icons.js';

/** Opens a question in a tab of its own. */
export function ExamplesMenu() {
  const { addTab } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const open = ({ query, variables }: Example): void => {
    addTab();
    queryEditor?.setValue(query);
    variableEditor?.setValue(Object.keys(variables).length === 0 ? '' : JSON.stringify(variables, null, 2));
  };
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
        <ToolbarMenu.Item key={example.name} title={example.about} onSelect={() => open(example)}>
          {example.title}
        </ToolbarMenu.Item>
      ))}
    </ToolbarMenu>
  );
}
