/**
 * gRPC over the library `@grpc/grpc-js` and the platform's HTTP/2, with the limits of the own
 * transport.
 *
 * @module
 */
export { startGrpcJs } from "./server.ts";
