/**
 * Translation with a graph of its own, for tests.
 *
 * @module
 */
import type { TableKind } from "../../lib/derive/mod.ts";
import { createGraph, type Graph, type View } from "../../lib/graph/mod.ts";
import { type ConfigObject, objectKey, type ProxyNode, TYPE_URLS } from "../../lib/model/mod.ts";
import { create } from "../../lib/proto/mod.ts";
import {
  createTranslation,
  type Features,
  type ObjectChange,
  type Translation,
} from "../../lib/translate/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { objectsOf, testMeshConfig } from "./mesh_fixture.ts";

/** The switches as they are by default. */
export const DEFAULT_FEATURES: Features = {
  telemetryLabel: true,
  traceSampling: 1,
  peersTell: true,
  endpointTelemetryLabel: true,
  http10: false,
  quicListeners: false,
  tellsFound: true,
  forgetMetrics: false,
  tlsOnIngress: false,
  ingressBesideServices: false,
  scopeGatewayToNamespace: false,
  excludeUnsafe503: true,
  enhancedScoping: true,
  inboundRetry: true,
  dnsJitterMs: 100,
  sendUnhealthyEndpoints: false,
  sidecarUseRemoteAddress: false,
  proxy100Continue: true,
  autoSni: true,
  selectorsForApiGateways: true,
  checkTrustDomain: true,
  remoteKeys: "daemon",
  weighLocalities: false,
  targetPortOfNone: true,
  drainingLabel: "mesh.io/draining",
  mergeEqualExports: true,
  vhds: true,
  internalNetworks: false,
  ipv4Outbound: false,
  documentFilter: true,
  keyValueFilter: false,
  giveAddresses: false,
  multiRoot: false,
  filterGatewayClusters: false,
  canonicalOutside: false,
  preferRuleTls: true,
};

/** Translation with its graph. */
export interface Bench {
  readonly graph: Graph;
  readonly translation: Translation;
  /** Applies documents; returns the revision before. */
  set(yaml: string): number;
  remove(kind: TableKind, key: string): number;
}

/** Translation of nothing yet. */
export function startTranslation(
  config: MeshConfig = testMeshConfig(),
  features: Features = DEFAULT_FEATURES,
  graph: Graph = createGraph(),
): Bench {
  const translation = createTranslation(graph, {
    domain: "cluster.local",
    clusterId: "test",
    features,
    config,
    networks: create(MeshNetworksSchema),
  });
  const apply = (objects: ObjectChange[]): number => {
    const before = translation.source.revision;
    translation.apply({ objects });
    return before;
  };
  return {
    graph,
    translation,
    set: (yaml) => apply(objectsOf(yaml).map(changeOf)),
    remove: (kind, key) => apply([{ kind, key, object: undefined }]),
  };
}

/** The change that sets an object; its age is left out, as files have none. */
export function changeOf(object: ConfigObject): ObjectChange {
  const meta = { ...object.meta, creationTime: 0 };
  return { kind: meta.kind as TableKind, key: objectKey(meta), object: { ...object, meta } };
}

/** A connected proxy. */
export function proxyNode(
  namespace: string,
  more: Partial<ProxyNode> & { readonly labels?: Readonly<Record<string, string>> } = {},
): ProxyNode {
  const ip = more.ip ?? "172.16.0.1";
  return {
    id: `sidecar~${ip}~proxy.${namespace}~${namespace}.svc.cluster.local`,
    role: "sidecar",
    ip,
    ips: [ip],
    name: "proxy",
    namespace,
    dnsDomain: `${namespace}.svc.cluster.local`,
    cluster: "",
    locality: { region: "", zone: "", subzone: "" },
    buildVersion: "",
    userAgent: "",
    transport: "sotw",
    ...more,
    metadata: { LABELS: more.labels ?? {}, ...more.metadata },
  };
}

/** What a proxy says of itself that takes virtual hosts as resources of their own. */
export const TAKES_PARTS = { userAgent: "envoy", transport: "delta" } as const;

/** Name to version of what a view shows. */
export function contentOf(view: View | undefined): Record<string, string> {
  const entries = [...view?.entries() ?? []].map((r) => [r.name, r.version] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** {@link contentOf} for every type. */
export function everything(
  binding: { view(typeUrl: string): View | undefined },
): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(TYPE_URLS).map(([short, url]) => [short, contentOf(binding.view(url))]),
  );
}
