/** Downloads a file in the browser. */
export function download(name: string, mediaType: string, parts: Iterable<string | Uint8Array>): void {
  const blob = new Blob([...parts] as BlobPart[], { type: mediaType });
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
