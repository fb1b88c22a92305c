declare global {
  /** Not part of the language: V8's own, which the shared errors set. */
  interface ErrorConstructor {
    stackTraceLimit: number;
  }
}

export {};
