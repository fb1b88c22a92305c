/** How far an export has come. */
export class ExportProgress {
  pages = 0;
  callsMade = 0;
  /** The services that the rows are from. */
  services: readonly string[] = [];
  /** Rows that were written. */
  rows = 0;
  /** Rows that were read for them, whether or not they were chosen. */
  read = 0;
  errors = 0;
  /** Number of errors that the headers reported; null until they are sent. */
  reportedErrors: number | null = null;
  /** A note on rows beyond the requested pages: what is in the file is complete. */
  beyond: string | null = null;
  /** Whether the headers have such a note; true until they are sent, since it can still get there. */
  isBeyondReported = true;
  /** Why the export ends although the list continues; null as long as nothing is missing. */
  cut: string | null = null;

  /** Ends the export. Of several reasons the first stands. */
  cutOff(reason: string): void {
    this.cut ??= reason;
  }
}
