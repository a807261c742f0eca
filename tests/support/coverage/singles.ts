/**
 * The effect of a mesh configuration, or of networks, with one field set.
 *
 * @module
 */
import type { DescMessage } from "../../../lib/kit/proto/mod.ts";
import {
  parseMeshConfig,
  parseMeshNetworks,
  type SchemaProblem,
} from "../../../lib/mesh/schema/mod.ts";
import { toYaml } from "../../../lib/kit/text/mod.ts";
import type { ChangeSet } from "../../../lib/mesh/ingest/mod.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type MeshNetworks, MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { type FieldCase, type FieldValues, withField } from "./fields.ts";
import type { Outcome, Stage } from "./observe.ts";

/** One of the two messages, and what its fields are set in. */
export interface Single extends FieldValues {
  readonly schema: DescMessage;
  readonly specOf: (label: string) => unknown;
  readonly read: (text: string) => Said;
}

/** The problem of a text, and its use if it has none. */
interface Said {
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
  readonly apply?: (stage: Stage) => void;
}

/** Sets one field and tells what came of it. */
export function trySingle(stage: Stage, single: Single, field: FieldCase): Outcome {
  const spec = single.specOf(field.label);
  const plain = single.read(toYaml(spec));
  const { problems, warnings, apply } = single.read(toYaml(withField(spec, field)));
  const path = textOf(field.path);
  const about = ({ path: reported }: SchemaProblem): boolean =>
    reported !== "" &&
    (path === reported || path.startsWith(`${reported}.`) || path.startsWith(`${reported}[`));
  const warned = warnings.some(about);
  return {
    // A reported field need not have an effect, and the comparison takes time.
    changes: !warned && problems.length === 0 && differs(stage, plain.apply, apply),
    warned,
    refused: problems.some(about),
    stray: [...plain.problems, ...problems.filter((one) => !about(one))]
      .map((one) => `${one.path}: ${one.message}`),
  };
}

function differs(stage: Stage, before: Said["apply"], after: Said["apply"]): boolean {
  before?.(stage);
  const was = stage.look();
  after?.(stage);
  return stage.look() !== was;
}

function textOf(path: FieldCase["path"]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

function reader<T>(
  parse: (text: string, file: string) => Said & { readonly value?: T },
  changes: (value: T) => ChangeSet,
): Single["read"] {
  return (text) => {
    const { problems, warnings, value } = parse(text, "test.yaml");
    return {
      problems,
      warnings,
      apply: value === undefined ? undefined : ({ bench }) => void bench.apply(changes(value)),
    };
  };
}

/** Objects that the settings of the mesh affect, in addition to the common background. */
export const MESH_BACKGROUND: string = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: resolved, namespace: one}
spec:
  hosts: [resolved.example]
  resolution: DNS
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: one.example}]
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: remote, namespace: one}
spec:
  hosts: [remote.example]
  resolution: STATIC
  location: MESH_INTERNAL
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.1.0.99, network: probe, labels: {security.mesh.io/tlsMode: mesh}}]
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: one}
spec:
  host: a.example
  trafficPolicy: {outlierDetection: {consecutive5xxErrors: 1}}
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: remote, namespace: one}
spec:
  host: remote.example
  trafficPolicy: {tls: {mode: SIMPLE}}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: renamed, namespace: one}
spec:
  hosts: [resolved.example]
  http: [{rewrite: {authority: inner.example}, route: [{destination: {host: resolved.example}}]}]
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: two}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ask, namespace: one}
spec:
  selector: {matchLabels: {app: server}}
  action: CUSTOM
  provider: {name: probe}
  rules: [{}]
`;

const ROOT = { rootNamespace: "mesh-system" };

/** Fields that identify a provider of each type, if that is not a service and its port. */
const PROVIDERS: Readonly<Record<string, unknown>> = {
  prometheus: {},
  stackdriver: {},
  dataproxyFileAccessLog: { path: "/dev/stdout" },
  sds: { name: "sds", service: "a.example", port: 80 },
};

/** Returns the telemetry kinds of a provider type. */
function usesOf(type: string): Readonly<Record<string, readonly string[]>> {
  if (/AccessLog|Als$/.test(type)) return { accessLogging: ["probe"] };
  return type === "prometheus" ? { metrics: ["probe"] } : { tracing: ["probe"] };
}

function provider(type: string): Readonly<Record<string, unknown>> {
  const own = PROVIDERS[type] as object | undefined ?? { service: "a.example", port: 80 };
  return {
    ...ROOT,
    extensionProviders: [{ name: "probe", [type]: own }],
    ...(/ExtAuthz/.test(type) ? {} : { defaultProviders: usesOf(type) }),
  };
}

/** The configuration that a field of the mesh's is set in. */
function meshSpec(label: string): unknown {
  const type = /^extensionProviders\[\]\.([A-Za-z]+)/.exec(label)?.[1];
  if (type === "name") return provider("prometheus");
  if (type === "prometheus") {
    return { ...provider("dataproxyFileAccessLog"), defaultProviders: usesOf(type) };
  }
  if (type !== undefined) return provider(type);
  const found = Object.entries(COMPANY).find(([prefix]) => label.startsWith(prefix));
  return { ...ROOT, ...found?.[1] };
}

/** The label that every namespace has. */
const NAME_LABEL = "kubernetes.io/metadata.name";

/** Fields that others require, or replace, by the prefix of their labels. */
const COMPANY: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "discoverySelectors[].matchExpressions": {
    discoverySelectors: [{
      matchExpressions: [{ key: NAME_LABEL, operator: "NotIn", values: ["two"] }],
    }],
  },
  ...Object.fromEntries(
    ["namespaceSelector", "servicesSelector"].map((selector) => [
      `serviceScopeConfigs[].${selector}.matchExpressions`,
      {
        serviceScopeConfigs: [{
          [selector]: { matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] },
        }],
      },
    ]),
  ),
  "meshMTLS.minProtocolVersion=TLSV1_2": { meshMTLS: { minProtocolVersion: "TLSV1_3" } },
  "configSources[].": { configSources: [{ address: "fs:///probe" }] },
  "tlsDefaults.minProtocolVersion=TLSV1_2": { tlsDefaults: { minProtocolVersion: "TLSV1_3" } },
  "defaultInboundHttpRetryPolicy.": { defaultInboundHttpRetryPolicy: { attempts: 1 } },
  "accessLog": { accessLogFile: "/dev/stdout" },
  "disableDataproxyListenerLog": { accessLogFile: "/dev/stdout" },
  "defaultConfig.dataproxyMetricsService.tcpKeepalive": {
    defaultConfig: { dataproxyMetricsService: { address: "a.example:80" } },
  },
  "defaultConfig.dataproxyAccessLogService.tcpKeepalive": {
    defaultConfig: { dataproxyAccessLogService: { address: "a.example:80" } },
  },
  "defaultConfig.tracing": {
    enableTracing: true,
    defaultConfig: { tracing: { zipkin: { address: "a.example:80" } } },
  },
  "enableTracing": { defaultConfig: { tracing: { zipkin: { address: "a.example:80" } } } },
  "outboundTrafficPolicy.tls.mode=MUTUAL": {
    outboundTrafficPolicy: {
      mode: "ALLOW_ANY_DYNAMIC_DNS",
      tls: { mode: "SIMPLE", clientCertificate: "/etc/cert.pem", privateKey: "/etc/key.pem" },
    },
  },
  "outboundTrafficPolicy.tls": {
    outboundTrafficPolicy: {
      mode: "ALLOW_ANY_DYNAMIC_DNS",
      tls: { mode: "MUTUAL", clientCertificate: "/etc/cert.pem", privateKey: "/etc/key.pem" },
    },
  },
  "outboundTrafficPolicy.mode=ALLOW_ANY": { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" } },
  "pathNormalization.normalization=BASE": { pathNormalization: { normalization: "NONE" } },
  "defaultTrafficPolicy.connectionPool.http.h2UpgradePolicy=UPGRADE": {},
  "defaultConfig.connectionSettings.httpPathWithEscapedSlashesAction=KEEP": {
    defaultConfig: {
      connectionSettings: { httpPathWithEscapedSlashesAction: "REJECT_REQUEST" },
    },
  },
  "defaultTrafficPolicy.connectionPool.http.h2UpgradePolicy=DO_NOT": {
    defaultTrafficPolicy: { connectionPool: { http: { h2UpgradePolicy: "UPGRADE" } } },
  },
  "defaultTrafficPolicy.connectionPool.http": {
    defaultTrafficPolicy: { connectionPool: { http: { h2UpgradePolicy: "UPGRADE" } } },
  },
  "defaultConfig.gatewayTopology.forwardClientCertDetails=SANITIZE_SET": {
    defaultConfig: { gatewayTopology: { forwardClientCertDetails: "FORWARD_ONLY" } },
  },
  "localityLbSetting.distribute": {
    localityLbSetting: { distribute: [{ from: "r1", to: { "r1/*": 50, "r2/*": 50 } }] },
  },
  "localityLbSetting.failover[]": {
    localityLbSetting: { failover: [{ from: "r1", to: "r2" }] },
  },
  "defaultProviders": {
    extensionProviders: [
      { name: "probe", zipkin: { service: "a.example", port: 80 } },
      { name: "log", dataproxyFileAccessLog: { path: "/dev/stdout" } },
    ],
  },
};

/** The mesh configuration. */
export const MESH_CONFIG: Single = {
  schema: MeshConfigSchema,
  specOf: meshSpec,
  read: reader<MeshConfig>((text, file) => parseMeshConfig(text, file), (mesh) => ({ mesh })),
  values: {
    "caCertificates[].spiffeBundleUrl": "https://probe.example",
    "discoverySelectors[].matchExpressions[].operator": "In",
    "discoverySelectors[].matchExpressions[].values[]": "one",
    "serviceScopeConfigs[].namespaceSelector.matchExpressions[].operator": "In",
    "serviceScopeConfigs[].servicesSelector.matchExpressions[].operator": "In",
    "enableAutoMtls": false,
    "enableTracing": false,
    "defaultConfig.tracing.zipkin.address": "b.example:80",
    "defaultConfig.tracing.datadog.address": "b.example:80",
    "defaultConfig.tracing.enableMeshTags": false,
    "rootNamespace": "two",
    "defaultProviders.accessLogging[]": "log",
    "localityLbSetting.distribute[].from": "r2",
    "localityLbSetting.distribute[].to.r1/*": 40,
    "localityLbSetting.enabled": false,
    "localityLbSetting.failoverPriority[]": "topology.mesh.io/cluster",
    "extensionProviders[].name": "renamed",
  },
  keys: {
    "localityLbSetting.distribute[].to": "r1/*",
    "defaultConfig.proxyMetadata": "MESH_META_K",
  },
};

const NETWORK = { gateways: [{ address: "192.0.2.1", port: 15443 }] };

export const MESH_NETWORKS: Single = {
  schema: MeshNetworksSchema,
  specOf: () => ({ networks: { probe: NETWORK } }),
  read: reader<MeshNetworks>(parseMeshNetworks, (networks) => ({ networks })),
  values: {
    "networks.probe.endpoints[].fromRegistry": "test",
    "networks.probe.endpoints[].fromCidr": "10.1.0.0/16",
    "networks.probe.gateways[].address": "192.0.2.2",
    "networks.probe.gateways[].port": 15444,
  },
  keys: { "networks": "probe" },
};
