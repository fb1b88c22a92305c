const FRAME = { viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 } as const;

/** Three sources, one of them connected. */
export function SourcesIcon() {
  return (
    <svg {...FRAME} data-panel="sources" height="1em" width="1em" aria-hidden="true">
      <circle cx="5" cy="6" r="2.5" />
      <circle cx="5" cy="18" r="2.5" />
      <circle cx="19" cy="12" r="2.5" />
      <path d="M7.5 6.8 16.5 11M7.5 17.2 16.5 13" />
    </svg>
  );
}

/** A path through a graph. */
export function FindIcon() {
  return (
    <svg {...FRAME} height="1em" width="1em" aria-hidden="true">
      <circle cx="10" cy="10" r="6" />
      <path d="m14.5 14.5 6 6M7.5 10h5M10 7.5v5" />
    </svg>
  );
}

/** A chain for a link. */
export function LinkIcon() {
  return (
    <svg {...FRAME} className="graphiql-toolbar-icon" aria-hidden="true">
      <path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1" />
    </svg>
  );
}

/** A list of queries. */
export function ExamplesIcon() {
  return (
    <svg {...FRAME} height="1em" width="1em" aria-hidden="true">
      <path d="M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1" />
    </svg>
  );
}

/** A bookmark. */
export function SavedIcon() {
  return (
    <svg {...FRAME} data-panel="saved" height="1em" width="1em" aria-hidden="true">
      <path d="M6 3h12v18l-6-5-6 5z" />
    </svg>
  );
}

/** Lines of a query, and one more. */
export function ComposerIcon() {
  return (
    <svg {...FRAME} height="1em" width="1em" aria-hidden="true">
      <path d="M4 5h16M7 10h10M7 15h5M17 14v7M13.5 17.5h7" />
    </svg>
  );
}
