/**
 * Errors of parsing YAML.
 *
 * @module
 */

/** The reason why a document is rejected, with the offset in its text. */
export class YamlFault extends Error {
  override readonly name = "YamlFault";
  readonly offset: number;
  /** Offset of the conflicting part. */
  readonly related?: number;

  constructor(
    readonly code: string,
    message: string,
    readonly remedy: string,
    at: number | { readonly offset: number; readonly related: number },
  ) {
    super(message);
    if (typeof at === "number") this.offset = at;
    else ({ offset: this.offset, related: this.related } = at);
  }
}
