/**
 * What ends the reading of a YAML document.
 *
 * @module
 */

/** Why a document is refused, with the offset in its text. */
export class YamlFault extends Error {
  override readonly name = "YamlFault";
  constructor(
    readonly code: string,
    message: string,
    readonly remedy: string,
    readonly offset: number,
    /** Offset of what it collides with. */
    readonly related?: number,
  ) {
    super(message);
  }
}
