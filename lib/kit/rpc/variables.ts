/**
 * The environment variables of the daemon's gRPC server: its transport, and bounds that an operator
 * may have reason to change.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../env/mod.ts";
import { DEFAULT_BOUNDS, type RpcBounds, type RpcTransport } from "./options.ts";

const TRANSPORTS: readonly RpcTransport[] = ["native", "grpc-js"];

/** HTTP/2 implementation of the daemon's gRPC server. */
export const GRPC_TRANSPORT: EnvVar<string> = declareEnv({
  name: "MESH_GRPC_TRANSPORT",
  type: "string",
  default: "native",
  choices: TRANSPORTS,
  doc: "HTTP/2 implementation of the gRPC server: native is that of Mesh, grpc-js the library " +
    "@grpc/grpc-js over that of the platform, which takes more CPU time and memory.",
  readers: ["pilot-discovery"],
});

/** The transport that {@link GRPC_TRANSPORT} names. Throws `MeshError` `env-invalid` for a wrong value. */
export function transportInForce(): RpcTransport {
  const name = GRPC_TRANSPORT.get();
  return TRANSPORTS.find((one) => one === name) ?? "native";
}

/** Bound on the connections of the gRPC server. */
export const GRPC_MAX_CONNECTIONS: EnvVar<number> = declareEnv({
  name: "MESH_GRPC_MAX_CONNECTIONS",
  type: "int",
  default: DEFAULT_BOUNDS.connections,
  range: { least: 1 },
  doc: "Most gRPC connections at the same time; more are closed at once.",
  readers: ["pilot-discovery"],
});

/** Bound on the connections of one address before admission. */
export const GRPC_MAX_UNADMITTED: EnvVar<number> = declareEnv({
  name: "MESH_GRPC_MAX_UNADMITTED_PER_ADDRESS",
  type: "int",
  default: DEFAULT_BOUNDS.unadmittedOfAddress,
  range: { least: 1 },
  doc: "Most gRPC connections from one address at the same time that have no admitted stream; " +
    "an address may open as many at once, and a quarter of them in each second afterwards. Raise " +
    "it where more proxies reconnect at once from behind one address.",
  readers: ["pilot-discovery"],
});

/** The bounds that the environment sets. */
export function boundsInForce(): Partial<RpcBounds> {
  const unadmittedOfAddress = GRPC_MAX_UNADMITTED.get();
  return {
    connections: GRPC_MAX_CONNECTIONS.get(),
    unadmittedOfAddress,
    unadmittedConnections: Math.max(DEFAULT_BOUNDS.unadmittedConnections, unadmittedOfAddress),
  };
}
