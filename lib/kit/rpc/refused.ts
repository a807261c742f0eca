/**
 * Counts and logs what servers refuse.
 *
 * @module
 */
import { intervalLogger, scope } from "../log/mod.ts";
import { type Counter, counter } from "../metrics/mod.ts";

const oncePerMinute = intervalLogger(scope("grpc"));

/** Reasons by which servers refuse connections, streams and frames, with a sentence for the log. */
const REASONS = {
  connections: "the bound on all connections is reached",
  "unadmitted-connections": "the bound on connections before admission is reached",
  "address-connections": "the bound on connections of one address before admission is reached",
  "connection-rate": "an address opens connections too fast",
  "no-request": "a connection brought no request in time",
  "cipher-suite": "a connection negotiated a cipher suite that is not allowed",
  handshake: "a connection did not begin with HTTP/2 in time",
  streams: "the bound on streams of a connection is reached",
  "unadmitted-streams": "the bound on streams of a connection before admission is reached",
  "header-list": "a request has too many or too large headers",
  "header-rate": "a connection sent too many bytes of headers",
  flood: "a connection sent too many frames that mean nothing",
  "unread-replies": "a connection does not read the replies that it asked for",
  "connection-memory": "the bound on unread bytes of a connection is reached",
  memory: "the bound on unread bytes of all connections is reached",
  "message-size": "a message is larger than the limit",
  "unread-end": "a client did not read the end of a stream in time",
  malformed: "a stream was reset because of a frame or header that the protocol forbids",
  protocol: "a connection was ended because of a frame that the protocol forbids",
} as const;

/** A reason to refuse. */
export type Refusal = keyof typeof REASONS;

const refusals: Counter = counter({
  name: "mesh_grpc_refused_total",
  help: "gRPC connections, streams and messages that were refused, by reason.",
  labels: ["reason"],
});

/** Counts a refusal, and logs it once a minute for each reason and address. */
export function refused(reason: Refusal, peer: string): void {
  refusals.inc({ reason });
  const address = addressOf(peer);
  oncePerMinute(`${reason} ${address}`)?.warn("a gRPC client was refused", {
    address,
    reason,
    details: REASONS[reason],
  });
}

/** The address without the port. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, "");
}
