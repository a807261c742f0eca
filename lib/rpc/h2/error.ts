/**
 * The error codes of HTTP/2, RFC 9113 section 7.
 *
 * @module
 */

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

/** What the peer did wrong, so that the whole connection has to end. */
export class H2Error extends Error {
  override readonly name = "H2Error";
  readonly code: H2Code;

  constructor(code: H2Code, message: string) {
    super(message);
    this.code = code;
  }
}
