/**
 * Resources of gRPC libraries that speak xDS without a proxy.
 *
 * @module
 */
export { deriveGrpcTables, type GrpcTables, selectingRules } from "./tables.ts";
