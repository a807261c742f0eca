/**
 * Requests for secrets.
 *
 * @module
 */
import { fromBinary } from "../../kit/proto/mod.ts";
import { RpcError } from "../../kit/rpc/mod.ts";
import { DiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { pathsOf } from "./file_secrets.ts";

/** Name of the workload's certificate. */
export const WORKLOAD = "default";
/** Name of the trusted roots. */
export const ROOTS = "ROOTCA";

export interface SecretRequest {
  /** Names of secrets, all of a form that is served. */
  readonly names: readonly string[];
  /** Reason why the proxy rejected the last response. */
  readonly rejection: string | undefined;
}

const MAX_NAMES = 100;

/** Reads a request. Throws `RpcError` INVALID_ARGUMENT. */
export function readSecretRequest(message: Uint8Array): SecretRequest {
  const { resourceNames: names, errorDetail } = decoded(message);
  const unknown = names.some((name) => name !== WORKLOAD && name !== ROOTS && !pathsOf(name));
  if (unknown || names.length > MAX_NAMES) {
    throw new RpcError(
      "INVALID_ARGUMENT",
      "only the secrets default, ROOTCA, file-cert:CHAIN~KEY and file-root:FILE are served",
    );
  }
  return { names, rejection: errorDetail && (errorDetail.message || "unknown") };
}

function decoded(message: Uint8Array) {
  try {
    return fromBinary(DiscoveryRequestSchema, message);
  } catch {
    throw new RpcError("INVALID_ARGUMENT", "the request is malformed");
  }
}
