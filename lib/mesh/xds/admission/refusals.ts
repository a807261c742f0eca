/**
 * Refusals of clients: counted by reason, logged once for each address, reason and minute.
 *
 * @module
 */
import { printable } from "../../../kit/base/mod.ts";
import { intervalLogger, scope } from "../../../kit/log/mod.ts";
import { type Counter, counter } from "../../../kit/metrics/mod.ts";
import { RpcError, type RpcStatus } from "../../../kit/rpc/mod.ts";
import { addressOf } from "./admission.ts";

const log = scope("ads");
const oncePerMinute = intervalLogger(log);

/**
 * `admission-full`, `admission-late`: too many streams wait to be admitted, or one waited too long.
 * `malformed`: a request or node that cannot be read. `limit`: more types, names or bytes than one
 * stream may have. `permission`: configuration or a debug query was requested by a client that may not
 * read it. `memory`: the names of all streams take too much, and this one has the most.
 * `stalled`, `stalled-memory`: the client did not take what it was sent.
 */
export type RefusalReason =
  | "admission-full"
  | "admission-late"
  | "malformed"
  | "limit"
  | "permission"
  | "memory"
  | "stalled"
  | "stalled-memory";

const refusedStreams: Counter = counter({
  name: "mesh_xds_refused_total",
  help: "Discovery streams that were refused or ended because of their client, by reason.",
  labels: ["reason"],
});

/** The status of a stream that is refused for a reason of its own. */
export class Refusal extends RpcError {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, status: RpcStatus, details: string) {
    super(status, details);
    this.reason = reason;
  }
}

/** The reason that an error refuses a stream for; `undefined` for errors that are not the client's. */
export function reasonOf(error: unknown): RefusalReason | undefined {
  if (error instanceof Refusal) return error.reason;
  if (!(error instanceof RpcError)) return undefined;
  if (error.status === "RESOURCE_EXHAUSTED") return "limit";
  return error.status === "INVALID_ARGUMENT" || error.status === "UNIMPLEMENTED"
    ? "malformed"
    : undefined;
}

/** Counts and logs a refusal. `peer`: `address:port`, or `unix`. */
export function noteRefusal(reason: RefusalReason, peer: string, details: string): void {
  refusedStreams.inc({ reason });
  const address = addressOf(peer);
  oncePerMinute(`${reason} ${address}`)?.warn("a discovery stream was refused", {
    address,
    reason,
    details: printable(details),
  });
}
