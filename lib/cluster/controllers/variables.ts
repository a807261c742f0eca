/**
 * Environment variables of the controllers.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** True: of several daemons, one runs a controller. */
export const ENABLE_LEADER_ELECTION: EnvVar<boolean> = declareEnv({
  name: "ENABLE_LEADER_ELECTION",
  type: "bool",
  default: true,
  doc: "Run each controller in one daemon of several, by leader election; otherwise in each.",
  readers,
});

/** True: messages of the analysis are written to the status of resources. */
export const PILOT_ENABLE_ANALYSIS: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_ANALYSIS",
  type: "bool",
  default: false,
  doc: "Write the findings of the analyzers, and the rollout, to the status of resources.",
  readers,
});

/** Time between two comparisons of status and analysis, in milliseconds. */
export const PILOT_ANALYSIS_INTERVAL: EnvVar<number> = declareEnv({
  name: "PILOT_ANALYSIS_INTERVAL",
  type: "duration",
  default: "10s",
  range: { least: 100 },
  doc: "Longest time until a changed finding is written to the status of its resource.",
  readers,
});

/** True: nodes with a ready network plugin lose their taint. */
export const PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS",
  type: "bool",
  default: false,
  doc: "Remove the taint `cni.mesh.io/not-ready` of nodes whose network plugin is ready.",
  readers,
});

/** Revision of this control plane. */
export const REVISION: EnvVar<string | undefined> = declareEnv({
  name: "REVISION",
  type: "string",
  doc: "Revision of the control plane that the daemon's pod belongs to; empty: `default`.",
  readers,
});

/** True: this daemon controls remote clusters. */
export const EXTERNAL_MESHD: EnvVar<boolean> = declareEnv({
  name: "EXTERNAL_MESHD",
  type: "bool",
  default: false,
  doc:
    "Control remote clusters whose system namespace names this cluster in the annotation `topology.mesh.io/controlPlaneClusters`: root certificates, webhooks' `caBundle`, ServiceExports.",
  readers,
});

/** Writes of status a second. */
export const PILOT_STATUS_QPS: EnvVar<number> = declareEnv({
  name: "PILOT_STATUS_QPS",
  type: "float",
  default: 100,
  doc: "Writes of status per second; 0: no limit but that of `--orchApiQPS`.",
  readers,
});

/** Writes of status that may go out at once. */
export const PILOT_STATUS_BURST: EnvVar<number> = declareEnv({
  name: "PILOT_STATUS_BURST",
  type: "int",
  default: 500,
  doc: "Burst of status writes.",
  readers,
});

/** Most writes of status at the same time. */
export const PILOT_STATUS_MAX_WORKERS: EnvVar<number> = declareEnv({
  name: "PILOT_STATUS_MAX_WORKERS",
  type: "int",
  default: 100,
  range: { least: 1 },
  doc: "Maximum of concurrent status writes.",
  readers,
});

/** True: the status of objects of the Gateway API is written. */
export const PILOT_ENABLE_GATEWAY_API_STATUS: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_GATEWAY_API_STATUS",
  type: "bool",
  default: true,
  doc: "Write the status of objects of the Gateway API.",
  readers,
});

/** True: conditions of ambient mode are written. */
export const AMBIENT_ENABLE_STATUS: EnvVar<boolean> = declareEnv({
  name: "AMBIENT_ENABLE_STATUS",
  type: "bool",
  default: false,
  defaultWhen: { variable: "PILOT_ENABLE_AMBIENT", default: true },
  doc: "Write conditions of ambient mode to the status of Services, entries and policies.",
  readers,
});

/** Least time between two rounds of writing status, in milliseconds. */
export const PILOT_STATUS_UPDATE_INTERVAL: EnvVar<number> = declareEnv({
  name: "PILOT_STATUS_UPDATE_INTERVAL",
  type: "duration",
  default: 500,
  doc: "Time between two rounds of writing status.",
  readers,
});

/** True: the waiting writes of controllers are measured. */
export const MESH_ENABLE_CONTROLLER_QUEUE_METRICS: EnvVar<boolean> = declareEnv({
  name: "MESH_ENABLE_CONTROLLER_QUEUE_METRICS",
  type: "bool",
  default: false,
  doc: "Export depth, waiting time and working time of the controllers' queues.",
  readers,
});
