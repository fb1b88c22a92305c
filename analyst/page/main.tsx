import './page.css';
import './ask/ask.css';
import './results/results.css';
import './table/table.css';
import './counts/counts.css';
import './sidebar/sidebar.css';
import { createRoot } from 'react-dom/client';
import { AnalystPage } from './analyst-page.js';
import { Boundary } from './elements/boundary.js';
import { startLanguage } from './state/language.js';
import { startMode } from './state/mode.js';

startLanguage();
startMode();
const root = document.getElementById('page');
if (root !== null) {
  createRoot(root).render(
    <Boundary>
      <AnalystPage />
    </Boundary>,
  );
}
