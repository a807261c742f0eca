/**
 * The environment variables of serving, and what follows from the machine's size.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"];

/** Pushes at the same time. */
export const PUSH_THROTTLE: EnvVar<number> = declareEnv({
  name: "PILOT_PUSH_THROTTLE",
  type: "int",
  default: 0,
  range: { least: 0 },
  doc: "Number of proxies that are sent to at the same time; 0 derives it from the machine's size.",
  readers,
});

/** New streams a second. */
export const MAX_REQUESTS_PER_SECOND: EnvVar<number> = declareEnv({
  name: "PILOT_MAX_REQUESTS_PER_SECOND",
  type: "float",
  default: 0,
  range: { least: 0 },
  doc:
    "Number of new discovery streams that are accepted per second, others wait; 0 derives it from the machine's size.",
  readers,
});

/** Time for which names that were asked for on demand are remembered. */
export const ON_DEMAND_RETENTION: EnvVar<number> = declareEnv({
  name: "MESH_ON_DEMAND_RETENTION",
  type: "duration",
  default: 24 * 60 * 60 * 1000,
  doc:
    "Time for which a host or cluster that proxies of a workload class asked for on demand is sent to further proxies of the class at their first sync, after it was asked for last.",
  readers,
});

/** Largest message taken. */
export const MAX_RECEIVE: EnvVar<number> = declareEnv({
  name: "MESH_GPRC_MAXRECVMSGSIZE",
  type: "int",
  default: 4 * 1024 * 1024,
  range: { least: 1 },
  doc:
    "Largest gRPC message that is accepted, in bytes; when it is not set, the agent accepts messages of the daemon of any size.",
  readers: ["pilot-discovery", "pilot-agent"],
});

/** Streams on a connection. */
export const MAX_STREAMS: EnvVar<number> = declareEnv({
  name: "MESH_GPRC_MAXSTREAMS",
  type: "int",
  default: 100_000,
  range: { least: 1 },
  doc: "Maximum of concurrent streams on one gRPC connection.",
  readers: ["pilot-discovery", "pilot-agent"],
});

/** Concurrent pushes on a machine with a number of processors: at least 20, at most 100. */
export function derivedThrottle(cpus: number): number {
  return Math.min(100, Math.max(20, cpus * 10));
}

/**
 * New streams per second on a machine with a number of processors. A first sync takes some ten
 * milliseconds, so a hundred per processor keep it busy; other streams wait.
 */
export function derivedRequestRate(cpus: number): number {
  return Math.max(100, cpus * 100);
}
