/**
 * An Envoy with a proxy's unchanged resources. The PROXY protocol gives the original destination of
 * connections; the Envoy reports the result of each call.
 *
 * @module
 */
import { eventually, freePort } from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import type { JsonObject, JsonValue } from "../../../lib/kit/proto/mod.ts";
import type { StaticResources } from "../../support/static_envoy.ts";

/** Envoy's log entry of a call. */
export interface LogLine {
  readonly call: string;
  readonly remote: string;
  readonly code: number;
  readonly flags: string;
  readonly details: string;
  readonly cluster: string;
  readonly host: string;
  readonly route: string;
}

export interface RunningEnvoy extends AsyncDisposable {
  readonly log: () => Promise<readonly LogLine[]>;
}

const TYPE = "type.googleapis.com/envoy.";

function logTo(path: string): JsonObject {
  const jsonFormat = {
    call: "%REQ(X-CALL)%",
    remote: "%DOWNSTREAM_REMOTE_ADDRESS%",
    code: "%RESPONSE_CODE%",
    flags: "%RESPONSE_FLAGS%",
    details: "%RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS%",
    cluster: "%UPSTREAM_CLUSTER_RAW%",
    host: "%UPSTREAM_HOST%",
    route: "%ROUTE_NAME%",
  };
  return {
    name: "calls",
    typedConfig: {
      "@type": `${TYPE}extensions.access_loggers.file.v3.FileAccessLog`,
      path,
      logFormat: { jsonFormat },
    },
  };
}

const LOGGING = /\.(HttpConnectionManager|TcpProxy)$/;

/** Adds a log to everything that can have one. */
function logged(value: JsonValue, log: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((one) => logged(one, log));
  if (typeof value !== "object" || value === null) return value;
  const whole = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, logged(one, log)]),
  );
  return LOGGING.test(`${whole["@type"] ?? ""}`) ? { ...whole, accessLog: [log] } : whole;
}

/** Puts the PROXY protocol before all else where a listener opens a port, at one address if given. */
function proxied(listener: JsonObject, ip: string | undefined): JsonObject {
  if (listener.bindToPort === false) return listener;
  const { socketAddress } = listener.address as { readonly socketAddress: JsonObject };
  const address = ip === undefined
    ? listener.address!
    : { socketAddress: { ...socketAddress, address: ip } };
  const filter = {
    name: "envoy.filters.listener.proxy_protocol",
    typedConfig: { "@type": `${TYPE}extensions.filters.listener.proxy_protocol.v3.ProxyProtocol` },
  };
  return {
    ...listener,
    address,
    listenerFilters: [filter, ...(listener.listenerFilters ?? []) as []],
  };
}

/** The configuration of an Envoy with an administration port and a log. */
function bootstrapOf(
  { listeners, clusters, secrets }: StaticResources,
  { port, log, ip }: {
    readonly port: number;
    readonly log: JsonObject;
    readonly ip: string | undefined;
  },
): Record<string, unknown> {
  return {
    node: { id: "simulated", cluster: "simulated" },
    admin: { address: { socketAddress: { address: "127.0.0.1", portValue: port } } },
    ...(ip === undefined ? {} : {
      clusterManager: { upstreamBindConfig: { sourceAddress: { address: ip, portValue: 0 } } },
    }),
    staticResources: {
      listeners: listeners.map((one) => logged(proxied(one, ip), log)),
      clusters,
      secrets,
    },
  };
}

/**
 * Starts an Envoy and waits until it has taken everything up. Its ports and its connections have the
 * address, if one is given.
 */
export async function runEnvoy(
  resources: StaticResources,
  dir: string,
  ip?: string,
): Promise<RunningEnvoy> {
  const port = freePort();
  const path = `${dir}/calls-${port}.log`;
  await Deno.writeTextFile(path, "");
  const log = logTo(path);
  const bootstrap = bootstrapOf(resources, { port, log, ip });
  const file = `${dir}/bootstrap-${port}.json`;
  await Deno.writeTextFile(file, JSON.stringify(bootstrap));
  const child = new Deno.Command(await envoyPath(), {
    args: [
      ...["-c", file, "--use-dynamic-base-id", "--concurrency", "1", "-l", "warning"],
      ...["--file-flush-interval-msec", "50"],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) said += decoder.decode(chunk, { stream: true });
  })();
  let ended = false;
  const status = child.status.then(() => ended = true);
  const stop = async (): Promise<void> => {
    if (!ended) child.kill("SIGKILL");
    await status;
    await reading;
  };
  try {
    await eventually("Envoy to be live", async () => {
      if (ended) throw new Error(said);
      const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined);
      return (await answer?.text())?.startsWith("LIVE") === true;
    });
  } catch (error) {
    await stop();
    throw new Error(said, { cause: error });
  }
  return {
    log: async () =>
      (await Deno.readTextFile(path)).split("\n").filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as LogLine),
    [Symbol.asyncDispose]: stop,
  };
}
