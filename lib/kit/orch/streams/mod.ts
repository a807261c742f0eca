/**
 * Streams to pods through the API server, over WebSocket: ports and commands.
 *
 * @module
 */
export { execInPod, type ExecRequest, type ExecResult } from "./exec.ts";
export { forwardPort, type ForwardRequest, type PortForward } from "./port_forward.ts";
export type { PodName } from "./socket.ts";
