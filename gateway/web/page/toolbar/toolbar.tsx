import { GraphiQL } from 'graphiql';
import { ExamplesMenu } from './examples-menu.js';
import { ShareButton } from './share-button.js';

/** GraphiQL's own tools, the examples and the link. */
export function Toolbar() {
  return (
    <GraphiQL.Toolbar>
      {({ prettify, merge, copy }) => (
        <>
          {prettify}
          {merge}
          {copy}
          <ShareButton />
          <ExamplesMenu />
        </>
      )}
    </GraphiQL.Toolbar>
  );
}
