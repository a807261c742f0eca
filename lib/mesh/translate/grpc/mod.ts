/**
 * Resources of proxyless gRPC programs, which speak xDS themselves.
 *
 * @module
 */
export { deriveGrpcTables } from "./tables.ts";
