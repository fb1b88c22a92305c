import { explorerPlugin } from '@graphiql/plugin-explorer';
import '@graphiql/plugin-explorer/style.css';

/** GraphiQL's explorer: a query by clicks. */
export const QueryComposer = explorerPlugin().content;
