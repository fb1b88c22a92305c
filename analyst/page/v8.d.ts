declare global {
  /** Not part of the language but of V8; the shared errors set it. */
  interface ErrorConstructor {
    stackTraceLimit: number;
  }
}

export {};
