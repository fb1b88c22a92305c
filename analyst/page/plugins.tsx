import { DOC_EXPLORER_PLUGIN } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import type { GraphiQLPlugin } from '@graphiql/react';
import { type ComponentType, lazy, Suspense } from 'react';
import { Boundary } from './elements/boundary.js';
import { ComposerIcon, FindIcon, SavedIcon, SourcesIcon } from './elements/icons.js';

// GraphiQL recognizes its own panels by identity, so copies of them would not do.
for (const own of [DOC_EXPLORER_PLUGIN, HISTORY_PLUGIN]) own.content = bounded(own.content);

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
  return bounded(() => (
    <Suspense fallback={null}>
      <Panel />
    </Suspense>
  ));
}

/** A panel whose failure leaves the rest of the page as it is. */
function bounded(Panel: ComponentType): ComponentType {
  return () => (
    <Boundary>
      <Panel />
    </Boundary>
  );
}
