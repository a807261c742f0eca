/**
 * The error codes of HTTP/2, RFC 9113 section 7, and the two kinds of errors, section 5.4.
 *
 * @module
 */
import type { Refusal } from "../refused.ts";

/** Codes by name; numbers as on the wire. */
export const H2_CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;

/** Name of a code. */
export type H2Code = keyof typeof H2_CODE;

/** The name of a code from the wire; `INTERNAL_ERROR` for unknown numbers, as RFC 9113 section 7 allows. */
export function codeOf(number: number): H2Code {
  for (const [name, code] of Object.entries(H2_CODE)) if (code === number) return name as H2Code;
  return "INTERNAL_ERROR";
}

/** An error of the peer that ends the connection. */
export class H2Error extends Error {
  override readonly name = "H2Error";
  readonly code: H2Code;
  /** The reason under which it is counted. */
  readonly refusal: Refusal;

  constructor(code: H2Code, message: string, refusal: Refusal = "protocol") {
    super(message);
    this.code = code;
    this.refusal = refusal;
  }
}

/** An error of the peer that ends one stream. */
export class H2StreamError extends Error {
  override readonly name = "H2StreamError";
  readonly stream: number;
  readonly code: H2Code;
  /** The reason under which it is counted. */
  readonly refusal: Refusal;

  constructor(
    stream: number,
    code: H2Code,
    { message, refusal = "malformed" }: { readonly message: string; readonly refusal?: Refusal },
  ) {
    super(message);
    this.stream = stream;
    this.code = code;
    this.refusal = refusal;
  }
}

/** A connection error PROTOCOL_ERROR. */
export function protocolError(message: string): H2Error {
  return new H2Error("PROTOCOL_ERROR", message);
}
