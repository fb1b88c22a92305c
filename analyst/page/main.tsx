import { createRoot } from 'react-dom/client';
import '@graphiql/react/style.css';
import 'graphiql/graphiql.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import './graphiql/graphiql.css';
import './results/results.css';
import './table/table.css';
import './examples/examples.css';
import './counts/counts.css';
import './sidebar/sidebar.css';
import './variables/variables.css';
import { AnalystPage } from './analyst-page.js';
import { Boundary } from './elements/boundary.js';
import { adoptStyles, setUpWorkers } from './graphiql/content-policy.js';
import { startLanguage } from './language-switch.js';
import { startMode } from './state/mode.js';

adoptStyles();
setUpWorkers();
startMode();
void startLanguage().then(() => {
  const root = document.getElementById('page');
  if (root === null) return;
  createRoot(root).render(
    <Boundary>
      <AnalystPage />
    </Boundary>,
  );
});
