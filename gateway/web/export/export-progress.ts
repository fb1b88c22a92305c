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
  /** Number of errors that the headers reported; null until they are sent. */
  reportedErrors: number | null = null;
  /** A note on rows beyond the requested pages; the file holds everything that was requested. */
  beyond: string | null = null;
  /** Whether the headers have such a note; true until they are sent, since it can still be added. */
  isBeyondReported = true;
  /** Why the export ends although the list continues; null while nothing is missing. */
  cut: string | null = null;

  /** Ends the export. The first of several reasons counts. */
  cutOff(reason: string): void {
    this.cut ??= reason;
  }
}
