/** Something that a reader of the result must know. */
export interface Remark {
  /** 1-based line of the text, before and after. */
  readonly line: number;
  /** Path of the field; empty for the document. */
  readonly field: string;
  /** `lost`: it has no counterpart, or is rejected; `check`: it is kept, and may not act. */
  readonly level: "lost" | "check";
  readonly message: string;
  readonly remedy: string;
}
