/**
 * Compares the bootstrap file with the conformance corpus that `MESH_CORPORA_DIR` names.
 *
 * Left out of the comparison, each with its reason: the HTTP/2 windows of `xds-grpc` and the
 * overload manager (Mesh sets them, the runtime keys they replace are deprecated), `sds-grpc` and
 * TLS (no certificates yet), tracers that upstream Envoy does not have, the order of lists that are
 * sets.
 *
 * @module
 */
import assert from "node:assert/strict";
import { planAgent } from "../../lib/agent/mod.ts";
import type { JsonObject } from "../../lib/proto/mod.ts";
import { parseProxyConfig } from "../../lib/schema/mod.ts";
import { AuthenticationPolicy } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { testSettings } from "../support/agent_settings.ts";

interface Case {
  readonly name: string;
  readonly options: {
    readonly node: { readonly instanceIPs: readonly string[]; readonly outlierLogPath: string };
    readonly env?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly checkLocality?: boolean;
  };
  readonly golden: string;
}

/** The parts of a bootstrap file that are compared. */
interface Content {
  readonly node: {
    readonly cluster: string;
    readonly locality: JsonObject;
    readonly metadata: Record<string, unknown> & { readonly PROXY_CONFIG: JsonObject };
  };
  readonly stats_config: {
    readonly stats_tags: readonly { tag_name: string; regex: string }[];
    readonly stats_matcher: { readonly inclusion_list: { readonly patterns: readonly unknown[] } };
    readonly histogram_bucket_settings?: unknown;
  };
  readonly dynamic_resources: unknown;
  readonly static_resources: {
    readonly clusters: readonly { readonly name: string }[];
    readonly listeners: readonly { readonly name: string }[];
  };
  readonly tracing?: { readonly http: { readonly name: string } };
  readonly stats_sinks?: readonly { readonly name: string }[];
  readonly cluster_manager: unknown;
}

const corpora = Deno.env.get("MESH_CORPORA_DIR") ??
  new URL("../../../shared/corpora", import.meta.url).pathname;
const folder = exists(`${corpora}/bootstrap/cases.json`) ? corpora : undefined;
const NO_FOLDER = "bootstrap files agree with the corpus [MESH_CORPORA_DIR has no corpora]";
/** Clusters that this agent names otherwise, or does not make yet. */
const OTHER = /^(sds-grpc|lightstep|(envoy|dataproxy)_accesslog_service)$/;
const TRACERS = /zipkin|datadog/;

if (folder === undefined) {
  Deno.test({ name: NO_FOLDER, ignore: true, fn: () => {} });
} else {
  const { cases } = JSON.parse(
    Deno.readTextFileSync(`${folder}/bootstrap/cases.json`),
  ) as { cases: Case[] };
  for (const one of cases) {
    Deno.test(`the bootstrap file agrees with the corpus: ${one.name}`, () => {
      const golden = JSON.parse(
        Deno.readTextFileSync(`${folder}/bootstrap/${one.golden}`),
      ) as Content;
      compare(one, write(one, golden), golden);
    });
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (e) {
    if (e instanceof Deno.errors.NotFound) return false;
    throw e;
  }
}

/** Returns the agent's output for the configuration in the golden file. */
function write({ options }: Case, golden: Content): Content {
  const text = JSON.stringify(golden.node.metadata.PROXY_CONFIG);
  const { value } = parseProxyConfig(text, "corpus");
  assert.ok(value);
  const ips = [...options.node.instanceIPs];
  const settings = testSettings({
    environ: {
      POD_NAME: "p",
      POD_NAMESPACE: "test",
      ENABLE_DEFERRED_CLUSTER_CREATION: "false",
      ...options.env,
    },
    annotations: options.annotations ?? {},
    addresses: { ips, ipv6Only: false, both: false, loopbackOnly: false },
    flags: { outlierLogPath: options.node.outlierLogPath },
    proxy: { ...value, controlPlaneAuthPolicy: AuthenticationPolicy.NONE },
  });
  return JSON.parse(planAgent(settings).bootstrap) as Content;
}

function compare({ options }: Case, actual: Content, golden: Content): void {
  if (options.checkLocality) {
    assert.deepEqual(actual.node.locality, golden.node.locality);
    assert.equal(actual.node.cluster, golden.node.cluster);
  }
  compareMetadata(actual.node.metadata, golden.node.metadata);
  assert.deepEqual(asSet(actual.stats_config.stats_tags), asSet(golden.stats_config.stats_tags));
  const patterns = ({ stats_config }: Content) =>
    asSet(stats_config.stats_matcher.inclusion_list.patterns);
  assert.deepEqual(patterns(actual), patterns(golden));
  assert.deepEqual(
    actual.stats_config.histogram_bucket_settings,
    golden.stats_config.histogram_bucket_settings,
  );
  assert.deepEqual(actual.dynamic_resources, golden.dynamic_resources);
  assert.deepEqual(actual.cluster_manager, golden.cluster_manager);
  assert.deepEqual(clusters(actual), clusters(golden));
  if (TRACERS.test(golden.tracing?.http.name ?? "")) {
    assert.equal(actual.tracing?.http.name, golden.tracing?.http.name);
  }
  const sinks = (content: Content) =>
    (content.stats_sinks ?? []).map(({ name }) => name)
      .filter((name) => !name.endsWith("metrics_service"));
  assert.deepEqual(sinks(actual), sinks(golden));
  assert.deepEqual(listenersOf(actual), listenersOf(golden));
}

/** Keys that a test of the library, and not an agent, leaves out or puts in, and one of Mesh's own. */
const UNCOMPARED = [
  "AGENT_WASM",
  "PROXY_CONFIG",
  "PILOT_SAN",
  "MESH_VERSION",
  "NAME",
  "NAMESPACE",
  "POD_NAME",
];

function compareMetadata(
  actual: Record<string, unknown>,
  golden: Record<string, unknown>,
): void {
  const pick = (all: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(all).filter(([key]) => !UNCOMPARED.includes(key) && !key.includes("/")),
    );
  assert.deepEqual(pick(actual), pick(golden));
}

/** Clusters without what belongs to certificates and the windows; those with TLS are only in the corpus. */
function clusters({ static_resources }: Content): unknown[] {
  return static_resources.clusters
    .filter((cluster) => !OTHER.test(cluster.name) && !("transport_socket" in cluster))
    .map((cluster) =>
      JSON.parse(
        JSON.stringify(cluster, (key, value) =>
          key === "http2_protocol_options" ? {} : key === "path" ? "masked" : value),
      )
    );
}

function listenersOf({ static_resources }: Content): unknown[] {
  return [...static_resources.listeners];
}

function asSet(items: readonly unknown[]): string[] {
  return items.map((item) => JSON.stringify(sorted(item))).sort();
}

function sorted(item: unknown): unknown {
  return typeof item === "object" && item !== null && !Array.isArray(item)
    ? Object.fromEntries(Object.entries(item).sort())
    : item;
}
