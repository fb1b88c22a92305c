import { createRoot } from 'react-dom/client';
import '@graphiql/react/style.css';
import 'graphiql/graphiql.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-explorer/style.css';
import './page.css';
import { adoptStyles } from './adopt-styles.js';
import { AnalystPage } from './analyst-page.js';
import { setUpWorkers } from './monaco-workers.js';

adoptStyles();
setUpWorkers();
const root = document.getElementById('page');
if (root !== null) createRoot(root).render(<AnalystPage />);
