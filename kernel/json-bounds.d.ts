/** Deepest nesting of lists and objects. */
export declare const DEEPEST: number;

/** Bounds of a JSON text. */
interface JsonBounds {
  /** Deepest nesting of lists and objects; `DEEPEST` if omitted. */
  readonly depth?: number;
  /** Number of values, each key counted as one; any if omitted. */
  readonly values?: number;
}

/** The bound that a JSON text exceeds; null for none. */
export declare function exceededBound(text: string, bounds: JsonBounds): keyof JsonBounds | null;
