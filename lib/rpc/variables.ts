/**
 * The environment variable that chooses the transport.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../env/mod.ts";
import type { RpcTransport } from "./options.ts";

const TRANSPORTS: readonly RpcTransport[] = ["native", "grpc-js"];

/** HTTP/2 implementation of the daemon's gRPC server. */
export const GRPC_TRANSPORT: EnvVar<string> = declareEnv({
  name: "MESH_GRPC_TRANSPORT",
  type: "string",
  default: "native",
  choices: TRANSPORTS,
  doc: "HTTP/2 implementation of the gRPC server: native is the own one, grpc-js the library " +
    "@grpc/grpc-js over that of the platform, which takes more CPU time and memory.",
  readers: ["pilot-discovery"],
});

/** The transport that {@link GRPC_TRANSPORT} names. Throws `MeshError` `env-invalid` for a wrong value. */
export function transportInForce(): RpcTransport {
  const name = GRPC_TRANSPORT.get();
  return TRANSPORTS.find((one) => one === name) ?? "native";
}
