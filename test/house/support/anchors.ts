/** Anchors of a page's headings, by GitHub's rules. */
export function anchorsOf(page: string): ReadonlySet<string> {
  return new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
