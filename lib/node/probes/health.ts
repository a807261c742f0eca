/**
 * The two messages of gRPC's standard health service (`grpc.health.v1.Health/Check`).
 *
 * @module
 */

/** Path of the method. */
export const CHECK_PATH = "/grpc.health.v1.Health/Check";

/** `HealthCheckResponse.ServingStatus` by number. */
const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
/** Tag of `HealthCheckRequest.service`: field 1, length-delimited. */
const SERVICE_TAG = 0x0a;
/** Field number of `HealthCheckResponse.status`. */
const STATUS_FIELD = 1;
/** Wire types of protobuf. */
const VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5;

/** Encodes a `HealthCheckRequest`. */
export function healthRequest(service: string): Uint8Array {
  if (service === "") return new Uint8Array(0);
  const name = new TextEncoder().encode(service);
  const length: number[] = [];
  let rest = name.byteLength;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  length.push(rest);
  return new Uint8Array([SERVICE_TAG, ...length, ...name]);
}

/**
 * Decodes the status of a `HealthCheckResponse`; the number as text if it has no name.
 *
 * @throws RangeError if the bytes are not a protobuf message
 */
export function servingStatus(bytes: Uint8Array): string {
  let status = 0;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("the message ends within a number");
      // Numbers above 32 bits are no status; only their end matters.
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError("a number of the message is too long");
  };
  while (at < bytes.byteLength) {
    const tag = varint();
    const type = tag & 7;
    if (type === VARINT) {
      const value = varint();
      if (tag >>> 3 === STATUS_FIELD) status = value;
    } else {
      const length = type === BYTES ? varint() : 0;
      at += skipped(type, length);
    }
    if (at > bytes.byteLength) throw new RangeError("the message ends within a field");
  }
  return STATUSES[status] ?? String(status);
}

function skipped(type: number, length: number): number {
  if (type === BYTES) return length;
  if (type === FIXED64) return 8;
  if (type === FIXED32) return 4;
  throw new RangeError(`the message has a field of type ${type}`);
}
