declare module 'virtual:editor-texts' {
  /** The editor's French texts by its English ones; made by the build from the editor's package. */
  const texts: Readonly<Record<string, string>>;
  // biome-ignore lint/style/noDefaultExport: the build makes it
  export default texts;
}

interface Window {
  /** The editor's texts by its English ones; undefined for English. */
  editorTexts: Readonly<Record<string, string>> | undefined;
}
