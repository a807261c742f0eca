/**
 * What gRPC libraries that speak xDS themselves are served, without a proxy beside them: listeners
 * by the names of targets, clusters and routes as far as those libraries understand them.
 *
 * @module
 */
export { buildGrpcCluster, type GrpcClusterInput } from "./cluster.ts";
export {
  buildGrpcListener,
  buildGrpcServerListener,
  type GrpcServerInput,
  SERVER_LISTENER_PREFIX,
} from "./listener.ts";
export { buildGrpcRoutes, type GrpcRoutesInput } from "./routes.ts";
