/** The package has no types; these are the parts that are used here. */
declare module 'xlsx-populate' {
  const populate: {
    fromDataAsync(bytes: Buffer): Promise<{
      sheets(): { usedRange(): { value(): unknown[][] } | undefined }[];
    }>;
  };
  // biome-ignore lint/style/noDefaultExport: that of the package
  export default populate;
}
