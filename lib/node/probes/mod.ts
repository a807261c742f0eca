/**
 * Probes of the workload's application: HTTP requests, TCP connections and calls of the gRPC health
 * service, which the agent runs in place of the orchestrator.
 *
 * @module
 */
export {
  type GrpcProbe,
  type HttpProbe,
  parseProbes,
  type Probe,
  type ProbeTable,
  type TcpProbe,
} from "./probe_table.ts";
export { MAX_BODY_BYTES } from "./answer.ts";
export { probeRoutes } from "./routes.ts";
export {
  type ProbeOutcome,
  type Prober,
  proberOf,
  type ProberOptions,
} from "./call_application.ts";
export { type ProbesEnv, readProbesEnv } from "./variables.ts";
