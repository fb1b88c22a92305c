/** How far an export has come. */
export class ExportProgress {
  pages = 0;
  callsMade = 0;
  /** The services that the rows come from. */
  services: readonly string[] = [];
  /** Rows that were written. */
  rows = 0;
  /** Rows that were read for them, whether or not they were chosen. */
  read = 0;
  errors = 0;
  /** Number of those errors that may have left rows or their cells empty. */
  failed = 0;
  /** Why the file does not have the whole list, or may not; null while nothing is missing. */
  cut: string | null = null;

  /** Ends the export. The first of several reasons counts. */
  cutOff(reason: string): void {
    this.cut ??= reason;
  }
}
