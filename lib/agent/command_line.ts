/**
 * The command line of the data-plane proxy.
 *
 * @module
 */
import { durationMs } from "../proto/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { AgentRole } from "./node.ts";

/** What the command line depends on. */
export interface CommandLineInput {
  readonly bootstrapFile: string;
  readonly proxy: ProxyConfig;
  /** `level[,component:level…]`. */
  readonly logLevel: string;
  /** `component:level,…`; empty for none. Goes before the components of `logLevel`. */
  readonly componentLogLevel: string;
  readonly ipv6Only: boolean;
  /** Worker threads; 0 for one a CPU. */
  readonly concurrency: number;
  /** Text that the proxy merges over its bootstrap file; undefined for none. */
  readonly override: string | undefined;
}

const DRAIN_DEFAULT_MS = 45_000;
const FLUSH_DEFAULT_MS = 1000;

/**
 * The arguments of the proxy. The log format is not among them: it stands in the bootstrap file,
 * and the proxy rejects a setting that is given twice.
 */
export function commandLine(input: CommandLineInput): string[] {
  const { proxy } = input;
  const [level = "warning", ...components] = input.logLevel.split(",").map((part) => part.trim());
  const componentLevels = [input.componentLogLevel, ...components].filter((part) => part !== "");
  const drainMs = proxy.drainDuration ? durationMs(proxy.drainDuration) : DRAIN_DEFAULT_MS;
  const flushMs = proxy.fileFlushInterval ? durationMs(proxy.fileFlushInterval) : FLUSH_DEFAULT_MS;
  return [
    ["-c", input.bootstrapFile],
    ["--drain-time-s", String(Math.ceil(drainMs / 1000))],
    ["--drain-strategy", "immediate"],
    ["--local-address-ip-version", input.ipv6Only ? "v6" : "v4"],
    ["--file-flush-interval-msec", String(Math.ceil(flushMs))],
    proxy.fileFlushMinSizeKb > 0
      ? ["--file-flush-min-size-kb", String(proxy.fileFlushMinSizeKb)]
      : [],
    ["--disable-hot-restart", "--allow-unknown-static-fields"],
    ["-l", level],
    componentLevels.length > 0 ? ["--component-log-level", componentLevels.join(",")] : [],
    input.override === undefined ? [] : ["--config-yaml", input.override],
    input.concurrency > 0 ? ["--concurrency", String(input.concurrency)] : [],
  ].flat();
}

/** Workers of a sidecar when nothing says how many. */
const SIDECAR_WORKERS = 2;

/**
 * The number of workers: the flag, else the configuration (where 0 means one a CPU), else the
 * CPU limit, else two for a sidecar and one a CPU for a router.
 *
 * @param flag the flag's value when it was given, else undefined
 * @returns 0 for one a CPU
 */
export function workers(
  flag: number | undefined,
  configured: number | undefined,
  cpuLimit: number,
  role: AgentRole,
): number {
  if (flag !== undefined) return flag;
  if (configured !== undefined) return configured;
  if (cpuLimit > 0) return cpuLimit;
  return role === "sidecar" ? SIDECAR_WORKERS : 0;
}
