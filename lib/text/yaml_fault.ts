/**
 * Errors of parsing YAML.
 *
 * @module
 */

/** The reason why a document is rejected, with the offset in its text. */
export class YamlFault extends Error {
  override readonly name = "YamlFault";
  constructor(
    readonly code: string,
    message: string,
    readonly remedy: string,
    readonly offset: number,
    /** Offset of the conflicting part. */
    readonly related?: number,
  ) {
    super(message);
  }
}
