/**
 * Real programs on loopback for the demo, the end-to-end tests and the benchmarks: the daemon,
 * agents with real Envoys, small backends, configuration directories.
 *
 * @module
 */
export {
  type Agent,
  type AgentOptions,
  type ConfigDump,
  type HeldKind,
  startAgent,
} from "./agent.ts";
export { type Backend, type Echo, startBackend } from "./backend.ts";
export {
  type Cluster,
  type ClusterOptions,
  type RestartableProgram,
  startCluster,
} from "./cluster.ts";
export { type ConfigDir, makeConfigDir } from "./config_dir.ts";
export { type Daemon, type DaemonOptions, portsOf, startDaemon } from "./daemon.ts";
export { type Answer, call, type CallOptions, spread } from "./call.ts";
export {
  makeNodeNetwork,
  type NodeNetwork,
  type NodeProxy,
  type NodeProxyDump,
  type NodeProxyOptions,
  nodeProxyPath,
  packedNodeProxy,
  startNodeProxy,
} from "./node_proxy.ts";
export { eventually, freeBlock, freePort, freePorts } from "./ports.ts";
export { BUNDLES, type Program, programWords, startCommand, startProgram } from "./process.ts";
export { askTcp, startTcpBackend, type TcpBackend } from "./tcp.ts";
