/**
 * Metrics of the discovery messages that the relay forwards: it reads their types, nonces and errors,
 * and nothing of their resources.
 *
 * @module
 */
import { XDS_TYPES } from "../../mesh/model/mod.ts";
import { fromBinary } from "../../kit/proto/mod.ts";
import { statusName } from "../../kit/rpc/mod.ts";
import { StatusSchema } from "#google/rpc/status_pb.ts";
import { expiredNonces, rejectedNow, rejects, sendTime, writeTimeouts } from "./metrics.ts";
import { eachBytesField } from "./wire_fields.ts";

/** Observes one stream. */
export interface StreamObserver {
  /** Sees a request of the proxy. */
  request(message: Uint8Array): void;
  /** Sees a response that is sent to the proxy. */
  response(message: Uint8Array): void;
  /** Measures the time until the proxy takes what it was sent; undefined: it did at once. */
  taken(drained: Promise<void> | undefined): Promise<void> | void;
}

/** Numbers of the fields in messages of the two protocols. */
interface Fields {
  readonly type: number;
  readonly nonce: number;
  readonly error: number;
}

const SOTW_REQUEST: Fields = { type: 4, nonce: 5, error: 6 };
const DELTA_REQUEST: Fields = { type: 2, nonce: 6, error: 7 };
const RESPONSE: Fields = { type: 4, nonce: 5, error: -1 };

/** Time in which a proxy takes a response, ms; a longer one is counted. */
const SEND_TIMEOUT_MS = 30_000;

/** Short names by type URL, such as `cds`. */
const SHORT: ReadonlyMap<string, string> = new Map(
  Object.values(XDS_TYPES).map(({ url, short }) => [url, short]),
);

/**
 * Creates the observer of a stream.
 *
 * @param node id of the proxy's node
 */
export function streamObserver(
  isDelta: boolean,
  node: string,
  sendTimeoutMs: number = SEND_TIMEOUT_MS,
): StreamObserver {
  /** Nonce of the last response, by type. Only state of the world allows no other. */
  const nonces = new Map<string, string>();
  return {
    request(message) {
      const { type, nonce, error } = partsOf(message, isDelta ? DELTA_REQUEST : SOTW_REQUEST);
      const short = SHORT.get(type);
      if (short === undefined) return;
      const last = nonces.get(type);
      if (!isDelta && nonce !== "" && last !== undefined && nonce !== last) {
        expiredNonces.inc({ type: short });
        return;
      }
      if (nonce !== "") noteAnswer(short, node, error);
    },
    response(message) {
      if (isDelta) return;
      const { type, nonce } = partsOf(message, RESPONSE);
      if (SHORT.has(type)) nonces.set(type, nonce);
    },
    taken: (drained) => drained === undefined ? sendTime.observe(0) : timed(drained, sendTimeoutMs),
  };
}

async function timed(drained: Promise<void>, sendTimeoutMs: number): Promise<void> {
  const started = performance.now();
  const timer = setTimeout(() => writeTimeouts.inc(), sendTimeoutMs);
  await drained;
  clearTimeout(timer);
  sendTime.observe((performance.now() - started) / 1000);
}

function noteAnswer(short: string, node: string, error: Uint8Array | undefined): void {
  const mark = rejectedNow[short];
  if (error === undefined) return mark?.clear();
  rejects.inc({ type: short });
  mark?.set(node, codeOf(error));
}

/** Name of the code of an encoded `google.rpc.Status`. */
function codeOf(error: Uint8Array): string {
  try {
    return statusName(fromBinary(StatusSchema, error).code);
  } catch {
    return statusName(-1);
  }
}

interface Parts {
  readonly type: string;
  readonly nonce: string;
  /** Encoded error of a rejection. */
  readonly error: Uint8Array | undefined;
}

const decoder = new TextDecoder();

function partsOf(message: Uint8Array, fields: Fields): Parts {
  let [type, nonce] = ["", ""];
  let error: Uint8Array | undefined;
  eachBytesField(message, (field, start, end) => {
    if (field === fields.type) type = decoder.decode(message.subarray(start, end));
    else if (field === fields.nonce) nonce = decoder.decode(message.subarray(start, end));
    else if (field === fields.error) error = message.subarray(start, end);
  });
  return { type, nonce, error };
}
