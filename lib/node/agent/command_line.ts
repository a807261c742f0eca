/**
 * The command line of the data-plane proxy.
 *
 * @module
 */
import { durationMs } from "../../kit/proto/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { AgentRole } from "./node.ts";

export interface CommandLineInput {
  readonly bootstrapFile: string;
  readonly proxy: ProxyConfig;
  /** `level[,component:level…]`. */
  readonly logLevel: string;
  /** `component:level,…`; empty: none. It overrides the components of `logLevel`. */
  readonly componentLogLevel: string;
  readonly ipv6Only: boolean;
  /** Number of worker threads; 0: one per CPU. */
  readonly concurrency: number;
  /** Configuration that the proxy merges over its bootstrap file; undefined: none. */
  readonly override: string | undefined;
}

const DRAIN_DEFAULT_MS = 45_000;
const FLUSH_DEFAULT_MS = 1000;

/**
 * Returns the arguments of the proxy. The log format is in the bootstrap file instead, and the
 * proxy rejects a setting that is given twice.
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

/** Default number of workers of a sidecar. */
const SIDECAR_WORKERS = 2;

/**
 * Returns the number of workers: the flag, otherwise the configuration (0: one per CPU), otherwise
 * the CPU limit, otherwise two for a sidecar and one per CPU for a router.
 *
 * @param flag value of the flag; undefined: not set
 * @returns 0 for one per CPU
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
