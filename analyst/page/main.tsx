import { createRoot } from 'react-dom/client';
import '@graphiql/react/style.css';
import 'graphiql/graphiql.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import './graphiql.css';
import './pane.css';
import './paging/paging.css';
import './table/table.css';
import './results/trace.css';
import './examples/examples.css';
import './counts/counts.css';
import './sidebar/panels.css';
import './variables/variables.css';
import { adoptStyles } from './adopt-styles.js';
import { AnalystPage } from './analyst-page.js';
import { Boundary } from './elements/boundary.js';
import { startLanguage } from './language/choose-language.js';
import { setUpWorkers } from './monaco-workers.js';

adoptStyles();
setUpWorkers();
void startLanguage().then(() => {
  const root = document.getElementById('page');
  if (root === null) return;
  createRoot(root).render(
    <Boundary>
      <AnalystPage />
    </Boundary>,
  );
});
