/**
 * Resources of proxyless gRPC programs, which speak xDS themselves.
 *
 * @module
 */
export { grpcLayers } from "./layers.ts";
export { deriveGrpcTables } from "./tables.ts";
