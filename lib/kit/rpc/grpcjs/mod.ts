/**
 * gRPC over the library `@grpc/grpc-js` and the platform's HTTP/2, with the limits of Mesh's
 * transport.
 *
 * @module
 */
export { startGrpcJs } from "./server.ts";
