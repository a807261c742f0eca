/**
 * Messages for gRPC libraries that speak xDS without a proxy.
 *
 * @module
 */
export { buildGrpcCluster } from "./cluster.ts";
export { buildGrpcListener, buildGrpcServerListener } from "./listener.ts";
export { buildGrpcRoutes } from "./routes.ts";
