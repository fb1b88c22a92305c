import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import type { GraphiQLPlugin } from '@graphiql/react';
import { type ComponentType, lazy, Suspense } from 'react';
import { ComposerIcon, FindIcon, SavedIcon, SourcesIcon } from './elements/icons.js';

/** The panels of the sidebar besides the documentation; their titles are translated with GraphiQL's own texts. */
export const PLUGINS: GraphiQLPlugin[] = [
  HISTORY_PLUGIN,
  {
    title: 'GraphiQL Explorer',
    icon: ComposerIcon,
    content: onDemand(async () => (await import('./sidebar/query-composer.js')).QueryComposer),
  },
  {
    title: 'Saved queries',
    icon: SavedIcon,
    content: onDemand(async () => (await import('./saved/saved-panel.js')).SavedPanel),
  },
  {
    title: 'Sources',
    icon: SourcesIcon,
    content: onDemand(async () => (await import('./sidebar/sources-panel.js')).SourcesPanel),
  },
  {
    title: 'Find a field',
    icon: FindIcon,
    content: onDemand(async () => (await import('./sidebar/find-panel.js')).FindPanel),
  },
];

/** A panel that is loaded when it is first opened. */
function onDemand(load: () => Promise<ComponentType>): ComponentType {
  const Panel = lazy(async () => ({ default: await load() }));
  return () => (
    <Suspense fallback={null}>
      <Panel />
    </Suspense>
  );
}
