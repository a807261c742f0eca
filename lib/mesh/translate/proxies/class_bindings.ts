/**
 * The table of class bindings and the table of classes.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import type { Labels, OwnWorkload, Patching } from "../../derive/mod.ts";
import { converted, type Derived, type KeyCodec, list, type Read, text } from "../../graph/mod.ts";
import { GATEWAY_NAME_LABEL, type ProxyClass, type ProxyNode } from "../../model/mod.ts";
import {
  BEHIND_OPTION,
  type ClassBinding,
  type MeshContext,
  telemetryKeys,
} from "../context/mod.ts";
import type { BaseContext } from "./features.ts";
import { telemetryKey } from "../telemetry/mod.ts";
import { type ClassBasis, classBasis, type ClassFacts, labelsOf, proxyClass } from "./classify.ts";
import { ownListeners } from "./own_listeners.ts";

/** The properties of a proxy that its class binding depends on. */
export interface ProxyKey {
  readonly basis: ClassBasis;
  /** Its name, which is that of its pod. */
  readonly name: string;
  readonly ips: readonly string[];
  /** Labels that its environment sets, which its pod may lack; absent: none. */
  readonly staticLabels?: Labels;
  /** Version and metadata: patches may select proxies by these, besides their class. */
  readonly version: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The properties of a connected proxy. */
export function proxyKeyOf(
  node: ProxyNode,
  { features, clusterAliases }: Pick<BaseContext, "features" | "clusterAliases">,
): ProxyKey {
  const basis = classBasis(node, features);
  const staticLabels = labelsOf(node.metadata.STATIC_LABELS);
  const clusterId = clusterAliases?.get(basis.clusterId) ?? basis.clusterId;
  return {
    basis: { ...basis, clusterId },
    name: node.name,
    ips: node.ips,
    ...(Object.keys(staticLabels).length === 0 ? {} : { staticLabels }),
    version: String(node.metadata.MESH_VERSION ?? ""),
    metadata: textsOf(node.metadata),
  };
}

/** Adds the remote cluster of a proxy, if there are Services in it. */
function withAddressCluster(read: Read, { mesh }: MeshContext, basis: ClassFacts): ClassFacts {
  const { clusterId, options } = basis;
  return read.members(mesh.indexes.remoteClusters, "all").includes(clusterId)
    ? { ...basis, options: { ...options, ADDRESS_CLUSTER: clusterId } }
    : basis;
}

/** Adds the port of a waypoint that is behind a node proxy. */
function withNodeProxy(
  read: Read,
  { mesh: { ambient } }: MeshContext,
  basis: ClassFacts,
): ClassFacts {
  const { role, namespace, labels, options } = basis;
  if (ambient === undefined || role !== "waypoint") return basis;
  const key = { namespace, name: labels[GATEWAY_NAME_LABEL] ?? "" };
  const { protocol, port = 0 } = read.get(ambient.waypoints.waypoint, key)?.inbound ?? {};
  return protocol === "PROXY" && port > 0
    ? { ...basis, options: { ...options, [BEHIND_OPTION]: `${port}` } }
    : basis;
}

/** Metadata with text values, which is what patches compare. */
function textsOf(metadata: ProxyNode["metadata"]): Record<string, string> {
  const entries = Object.entries(metadata).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(entries) as Record<string, string>;
}

const names: KeyCodec<readonly string[]> = list(text);

/** The codec of {@link ProxyKey}: canonical JSON. */
const proxyKeys: KeyCodec<ProxyKey> = converted(text, {
  encode: (key: ProxyKey) => canonicalJson(key),
  decode: (json) => JSON.parse(json) as ProxyKey,
});

/** The facts about a proxy's pod replace what the proxy says, which is as old as its start. */
function withWorkload(
  basis: ClassBasis,
  { labels, locality }: OwnWorkload,
  staticLabels: Labels | undefined,
): ClassBasis {
  return {
    ...basis,
    ...(labels === undefined ? {} : { labels: labelsOf({ ...staticLabels, ...labels }) }),
    ...(locality === undefined ? {} : { locality }),
  };
}

/** Creates the table of class bindings. */
export function deriveClassBindings(context: MeshContext): Derived<ClassBinding, ProxyKey> {
  const { mesh } = context;
  return mesh.graph.derive("placement", proxyKeys, (read, { basis: said, ...proxy }) => {
    const { name, ips, staticLabels } = proxy;
    const own = read.get(mesh.ownWorkloads, {
      namespace: said.namespace,
      name,
      cluster: said.clusterId,
      addresses: ips,
    });
    const { locality, ...basis } = withWorkload(said, own, staticLabels);
    const sidecar = basis.role === "sidecar"
      ? read.get(mesh.scopes.sidecar, { namespace: basis.namespace, labels: basis.labels })
      : "";
    const targets = read.get(mesh.targets, ips);
    const placed = withNodeProxy(read, context, withAddressCluster(read, context, basis));
    const cls = proxyClass(placed, targets);
    const node = proxy.metadata.NODE_NAME || own.node;
    return {
      cls,
      sidecar,
      locality: mesh.localities.ofClass(read, { ...cls, locality }, { node, ips }),
      telemetry: telemetryKey(read, context, cls, sidecar),
      ownListeners: ownListeners(read, context, { cls, sidecar, targets, ips }),
      patching: mesh.patches.patchingOf(read, { ...basis, ...proxy }),
    };
  }, { equal: sameBinding });
}

function sameBinding(a: ClassBinding, b: ClassBinding): boolean {
  return a.cls.key === b.cls.key && a.sidecar === b.sidecar && a.locality === b.locality &&
    telemetryKeys.equal(a.telemetry, b.telemetry) && samePatching(a.patching, b.patching) &&
    names.equal(a.ownListeners, b.ownListeners);
}

function samePatching(a: Patching, b: Patching): boolean {
  return a.cluster === b.cluster && a.listener === b.listener && a.route === b.route &&
    a.extension === b.extension;
}

/** Creates the table of classes: the key of a class is its content. */
export function deriveClasses({ mesh }: MeshContext): Derived<ProxyClass> {
  return mesh.graph.derive<ProxyClass, string>(
    "class",
    text,
    (_read, key) => ({ ...JSON.parse(key) as ProxyClass, key }),
  );
}
