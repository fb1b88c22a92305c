/** A drawing of lines in a square of 24 units, as high as the text. `panel` marks the icon of a panel for look-ups. */
function Icon({ path, panel, className }: { path: string; panel?: string; className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      height="1em"
      width="1em"
      className={className}
      data-panel={panel}
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

/** Three sources, one of them connected. */
export const SourcesIcon = () => (
  <Icon
    panel="sources"
    path="M2.5 6a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0zM2.5 18a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0zM16.5 12a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0zM7.5 6.8 16.5 11M7.5 17.2 16.5 13"
  />
);

/** A list of queries. */
export const ExamplesIcon = () => <Icon path="M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1" />;

/** A bookmark. */
export const SavedIcon = () => <Icon panel="saved" path="M6 3h12v18l-6-5-6 5z" />;

/** Lines of a query, and one more. */
export const ComposerIcon = () => <Icon panel="composer" path="M4 5h16M7 10h10M7 15h5M17 14v7M13.5 17.5h7" />;

/** A chain for a link, as large as GraphiQL's own icons of the toolbar. */
export const LinkIcon = () => (
  <Icon
    className="graphiql-toolbar-icon"
    path="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"
  />
);
