/**
 * Health of the workload: the application is probed, and each change is reported to the daemon over
 * the streams of the proxy.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { type Probe, type Prober, proberOf } from "../probes/mod.ts";
import { encode } from "../../kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DiscoveryRequestSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import type { ReadinessProbe } from "#mesh/networking/v1alpha3/workload_group_pb.ts";
import { sleep } from "../../kit/async/mod.ts";
import type { Reports } from "./reports.ts";

/** The known health of the workload. */
export interface HealthReports extends Reports {
  /** Reports that the workload is draining, whatever the probe says from now on. */
  drain(): void;
  stop(): void;
}

/** Type of the reports; a report of a fault has it as the error of the request. */
const TYPE = "type.googleapis.com/mesh.v1.HealthInformation";
/** Code of a fault, as of an HTTP status. */
const FAULT_CODE = 500;
/** The defaults of the orchestrator's probes. */
const DEFAULTS = { timeout: 1, period: 10, successes: 1, failures: 3 };

const log = scope("healthcheck");

/** Reason of the report while the proxy drains its connections. */
const DRAINING = "the workload is draining";

/**
 * Probes until it is stopped.
 *
 * @param config undefined: the workload is healthy until it drains
 * @param address of the workload, for probes that name no host
 */
export function startHealth(config: ReadinessProbe | undefined, address: string): HealthReports {
  const ending = new AbortController();
  const listeners = new Set<() => void>();
  let known: { readonly fault: string | undefined } | undefined;
  const set = (fault: string | undefined) => {
    known = { fault };
    for (const changed of listeners) changed();
  };
  if (config === undefined) known = { fault: undefined };
  else {
    const prober = proberOf({ address, keepAlive: false });
    const probed = (fault: string | undefined) => {
      if (fault === undefined) log.info("the workload is healthy");
      else log.warn("the workload is not healthy", { reason: fault });
      set(fault);
    };
    void probeUntil(ending.signal, config, prober, probed).finally(() => prober.close());
  }
  return {
    drain() {
      ending.abort();
      set(DRAINING);
    },
    on: (path) => ({
      message: () => known && report(path, known.fault),
      onChange(changed) {
        listeners.add(changed);
        return () => listeners.delete(changed);
      },
      take: () => undefined,
    }),
    stop: () => ending.abort(),
  };
}

function report(path: string, fault: string | undefined): Uint8Array {
  const content = {
    typeUrl: TYPE,
    ...fault !== undefined && { errorDetail: { code: FAULT_CODE, message: fault } },
  };
  return path.includes("Delta")
    ? encode(DeltaDiscoveryRequestSchema, content)
    : encode(DiscoveryRequestSchema, content);
}

/** Probes in periods; `set` is called when enough results in a row say something new. */
async function probeUntil(
  end: AbortSignal,
  config: ReadinessProbe,
  prober: Prober,
  set: (fault: string | undefined) => void,
): Promise<void> {
  const { initialDelaySeconds, periodSeconds, successThreshold, failureThreshold } = config;
  await sleep(initialDelaySeconds * 1000, end);
  let isHealthy: boolean | undefined;
  let inRow = 0;
  let last: boolean | undefined;
  while (!end.aborted) {
    const fault = await probeOnce(config, prober, end);
    if (end.aborted) return;
    const succeeded = fault === undefined;
    inRow = succeeded === last ? inRow + 1 : 1;
    last = succeeded;
    const enough = succeeded
      ? successThreshold || DEFAULTS.successes
      : failureThreshold || DEFAULTS.failures;
    if (inRow >= enough && isHealthy !== succeeded) {
      isHealthy = succeeded;
      set(fault);
    }
    await sleep((periodSeconds || DEFAULTS.period) * 1000, end);
  }
}

/** The fault; `undefined`: the probe succeeded. */
async function probeOnce(
  config: ReadinessProbe,
  prober: Prober,
  end: AbortSignal,
): Promise<string | undefined> {
  const { healthCheckMethod: { case: kind, value } } = config;
  const timeoutMs = (config.timeoutSeconds || DEFAULTS.timeout) * 1000;
  if (kind === "exec") return await runCommand(value.command, timeoutMs, end);
  const probe = probeOf(config, timeoutMs);
  if (!probe) return "the probe has no method";
  const { status, fault } = await prober.run(probe, new Headers(), end);
  return fault ?? (status >= 200 && status < 400 ? undefined : `status ${status}`);
}

function probeOf({ healthCheckMethod }: ReadinessProbe, timeoutMs: number): Probe | undefined {
  const { case: kind, value } = healthCheckMethod;
  switch (kind) {
    case "httpGet": {
      const { port, path, host, scheme, httpHeaders } = value;
      return {
        kind: "http",
        port,
        path: path.startsWith("/") ? path : `/${path}`,
        scheme: scheme.toLowerCase() === "https" ? "https" : "http",
        host: host || undefined,
        headers: httpHeaders.map(({ name, value }) => [name.toLowerCase(), value] as const),
        timeoutMs,
      };
    }
    case "tcpSocket":
      return { kind: "tcp", port: value.port, host: value.host || undefined, timeoutMs };
    case "grpc":
      return { kind: "grpc", port: value.port, service: value.service, timeoutMs };
    default:
      return undefined;
  }
}

/** Runs a command; exit status 0 is success. */
async function runCommand(
  [program = "", ...args]: readonly string[],
  timeoutMs: number,
  end: AbortSignal,
): Promise<string | undefined> {
  try {
    const signal = AbortSignal.any([end, AbortSignal.timeout(timeoutMs)]);
    const command = new Deno.Command(program, { args, stdout: "null", stderr: "null", signal });
    const { code } = await command.output();
    return code === 0 ? undefined : `${program}: exit status ${code}`;
  } catch (error) {
    return messageOf(error);
  }
}
