/**
 * Messages for proxyless gRPC: listeners, route tables, clusters and TLS that gRPC libraries
 * understand.
 *
 * @module
 */
export { buildGrpcCluster } from "./cluster.ts";
export { buildGrpcListener, buildGrpcServerListener } from "./listener.ts";
export { buildGrpcRoutes } from "./routes.ts";
