/**
 * No setting of the mesh is silent: set to a value that is not its default, it changes what some
 * proxy is served, or a warning or an error names it.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fieldCases } from "../../tests/support/coverage/fields.ts";
import { openStage } from "../../tests/support/coverage/observe.ts";
import { BACKGROUND } from "../../tests/support/coverage/scenes.ts";
import {
  MESH_BACKGROUND,
  MESH_CONFIG,
  MESH_NETWORKS,
  type Single,
  trySingle,
} from "../../tests/support/coverage/singles.ts";

/** What agents start their proxies by; no resource is made of it. */
const OF_AGENTS: ReadonlySet<string> = new Set(
  [
    "configPath",
    "binaryPath",
    "serviceCluster",
    "tracingServiceName=CANONICAL_NAME_ONLY",
    "tracingServiceName=CANONICAL_NAME_AND_NAMESPACE",
    "drainDuration",
    "proxyAdminPort",
    "controlPlaneAuthPolicy=MUTUAL_TLS",
    "controlPlaneAuthPolicy=INHERIT",
    "customConfigFile",
    "concurrency",
    "proxyBootstrapTemplatePath",
    "interceptionMode=TPROXY",
    "interceptionMode=NONE",
    "tracing.zipkin.address",
    "tracing.datadog.address",
    "dataproxyAccessLogService.address",
    "dataproxyMetricsService.address",
    "proxyMetadata.k",
    "runtimeValues.k",
    "statusPort",
    "extraStatTags[]",
    "terminationDrainDuration",
    "meshId",
    "proxyStatsMatcher.inclusionPrefixes[]",
    "proxyStatsMatcher.inclusionSuffixes[]",
    "proxyStatsMatcher.inclusionRegexps[]",
    "fileFlushInterval",
    "fileFlushMinSizeKb",
    "statsCompression",
    "connectionSettings.globalDownstreamConnectionLimit",
  ].map((field) => `MeshConfig defaultConfig.${field}`),
);

/** Others that neither act on resources nor are told of, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  "MeshConfig caCertificates[].pem": "authorities of other meshes are served to agents apart",
  "MeshConfig defaultConfig.proxyHeaders.metadataExchangeHeaders.mode=IN_MESH":
    "servers outside the mesh are told nothing of workloads in any case",
  "MeshConfig extensionProviders[].opentelemetry.resourceDetectors.environment":
    "the environment is what is looked at by default",
};

const SINGLES: Readonly<Record<string, Single>> = {
  MeshConfig: MESH_CONFIG,
  MeshNetworks: MESH_NETWORKS,
};

for (const [kind, single] of Object.entries(SINGLES)) {
  Deno.test(`coverage: every field of ${kind} acts, or is named`, () => {
    const stage = openStage(`${BACKGROUND}---\n${MESH_BACKGROUND}`);
    const silent: string[] = [];
    const stray: string[] = [];
    for (const field of fieldCases(single.schema, single)) {
      const { changes, warned, refused, stray: other } = trySingle(stage, single, field);
      const name = `${kind} ${field.label}`;
      const exempt = name in EXEMPT || OF_AGENTS.has(name);
      if (other.length > 0) stray.push(`${field.label}: ${other.join("; ")}`);
      else if (!changes && !warned && !refused) {
        if (!exempt) silent.push(field.label);
      } else assert.ok(!exempt, `${field.label} is exempt`);
    }
    assert.deepEqual({ silent, stray }, { silent: [], stray: [] });
  });
}
