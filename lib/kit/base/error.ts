/**
 * The one error type that crosses rooms.
 *
 * @module
 */

/** An error with a stable code, a message and a remedy. */
export class MeshError extends Error {
  override readonly name = "MeshError";
  /** Stable, kebab-case, for tests and metrics; for example `config-field-unknown`. */
  readonly code: string;
  /** The remedy; a full sentence. */
  readonly remedy: string | undefined;

  constructor(code: string, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.remedy = options.remedy;
  }
}

/** The message of any thrown value, for log fields and for `Error: …` lines. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
