/**
 * An Envoy without an agent: connected to a discovery server for protocol tests, or with a static
 * configuration as a client.
 *
 * @module
 */
import { eventually, freePort } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";

/** A running Envoy. */
export interface EnvoyProcess extends AsyncDisposable {
  /** Returns a statistic; 0 if it does not exist. */
  stat(name: string): Promise<number>;
  /** All statistics whose name ends so, with their sum. */
  sum(suffix: string): Promise<number>;
  /** The answer of an admin path. */
  admin(path: string): Promise<string>;
  /** Returns its log. */
  log(): string;
}

/** Options of the connection. */
export interface EnvoyOptions {
  readonly variant: "sotw" | "delta";
  /** Port of the discovery server, on loopback. */
  readonly xdsPort: number;
  readonly name?: string;
  /** Its node; default: a sidecar at 127.0.0.1, without metadata. */
  readonly node?: { readonly id: string; readonly metadata: Readonly<Record<string, unknown>> };
}

/** Starts an Envoy that asks a discovery server, and waits until its admin port answers. */
export function startEnvoy(options: EnvoyOptions): Promise<EnvoyProcess> {
  return runEnvoy(bootstrap(options));
}

/** Starts an Envoy by a bootstrap without an admin port, which it is given, and waits until that answers. */
export async function runEnvoy(config: Readonly<Record<string, unknown>>): Promise<EnvoyProcess> {
  const admin = freePort();
  const address = { socket_address: { address: "127.0.0.1", port_value: admin } };
  const child = new Deno.Command(await envoyPath(), {
    args: [
      "--config-yaml",
      JSON.stringify({ ...config, admin: { address } }),
      "--use-dynamic-base-id",
      "--concurrency",
      "1",
      // Connections to a listener that was replaced close with their next answer.
      "--drain-strategy",
      "immediate",
      "-l",
      "warning",
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let log = "";
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true });
  })();
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${admin}${path}`);
    return await response.text();
  };
  const stop = async () => {
    child.kill("SIGKILL");
    await child.status;
    await read;
  };
  try {
    await eventually(
      "Envoy's admin port answers",
      () => ask("/ready").then(() => true, () => false),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    admin: ask,
    stat: async (name) => (await stats(ask, `^${RegExp.escape(name)}$`))[0]?.[1] ?? 0,
    sum: async (suffix) => {
      const found = await stats(ask, `${RegExp.escape(suffix)}$`);
      return found.reduce((sum, [, value]) => sum + value, 0);
    },
    log: () => log,
    [Symbol.asyncDispose]: stop,
  };
}

async function stats(
  ask: (path: string) => Promise<string>,
  filter: string,
): Promise<[string, number][]> {
  const text = await ask(`/stats?filter=${encodeURIComponent(filter)}`);
  return text.trim().split("\n").filter((line) => line.includes(": ")).map((line) => {
    const colon = line.lastIndexOf(": ");
    return [line.slice(0, colon), Number(line.slice(colon + 2))];
  });
}

function bootstrap(
  { variant, xdsPort, name = "app", node }: EnvoyOptions,
): Readonly<Record<string, unknown>> {
  const ads = { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "60s" };
  return {
    node: {
      id: `sidecar~127.0.0.1~${name}.default~default.svc.cluster.local`,
      cluster: `${name}.default`,
      ...node,
    },
    dynamic_resources: {
      lds_config: ads,
      cds_config: ads,
      ads_config: {
        api_type: variant === "delta" ? "DELTA_GRPC" : "GRPC",
        transport_api_version: "V3",
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: "xds" } }],
      },
    },
    static_resources: {
      clusters: [{
        name: "xds",
        type: "STATIC",
        connect_timeout: "1s",
        typed_extension_protocol_options: {
          "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
            explicit_http_config: { http2_protocol_options: {} },
          },
        },
        load_assignment: {
          cluster_name: "xds",
          endpoints: [{
            lb_endpoints: [{
              endpoint: {
                address: { socket_address: { address: "127.0.0.1", port_value: xdsPort } },
              },
            }],
          }],
        },
      }],
    },
  };
}
