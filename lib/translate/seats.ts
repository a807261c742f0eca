/**
 * Seats: which class a connected proxy belongs to, and its views.
 *
 * @module
 */
import { canonicalJson } from "../base/mod.ts";
import { labelsKey, type Patching } from "../derive/mod.ts";
import type { Collection, Derived, View } from "../graph/mod.ts";
import type { ProxyClass, ProxyNode, Seat } from "../model/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { typeUrl } from "../proto/mod.ts";
import { type ClassBasis, classBasis, proxyClass } from "./classify.ts";
import { AGENT_TYPE_URLS, type AgentLayersOf } from "./agent_layers.ts";
import type { Context } from "./context.ts";
import { telemetryKey } from "./signals.ts";

/** Where a proxy stands: its class, and the Sidecar that narrows what it sees. */
export interface Placement {
  readonly cls: ProxyClass;
  /** `namespace/name`; `""` for none. */
  readonly sidecar: string;
  /** As `Places.placeOf`; `""` for none. */
  readonly place: string;
  /** As `telemetryKey`. */
  readonly telemetry: string;
  /** What changes resources after they were made. */
  readonly patching: Patching;
}

/** Finds the layers of a placement by type URL. */
export type LayersOf = (placement: Placement) => ReadonlyMap<string, readonly Collection[]>;

interface PlacementKey {
  readonly basis: ClassBasis;
  readonly ips: readonly string[];
  /** What patches may choose proxies by, beside their class. */
  readonly version: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Creates the table of placements: a node's plain data → its placement. */
export function derivePlacements({ mesh }: Pick<Context, "mesh">): Derived<Placement> {
  return mesh.graph.derive<Placement>("placement", (read, key) => {
    const { basis, ips, ...proxy } = JSON.parse(key) as PlacementKey;
    const sidecar = basis.role === "sidecar"
      ? read.get(mesh.scopes.sidecar, `${basis.namespace}|${labelsKey(basis.labels)}`)
      : "";
    const cls = proxyClass(basis, read.get(mesh.targets, ips.join(",")));
    const patching = mesh.patchingOf(read, { ...basis, ...proxy });
    const telemetry = telemetryKey(read, { mesh }, cls, sidecar);
    return { cls, sidecar, place: mesh.places.placeOf(read, cls), patching, telemetry };
  }, {
    equal: (a, b) =>
      a.cls.key === b.cls.key && a.sidecar === b.sidecar && a.place === b.place &&
      a.telemetry === b.telemetry && samePatching(a.patching, b.patching),
  });
}

function samePatching(a: Patching, b: Patching): boolean {
  return a.cluster === b.cluster && a.listener === b.listener && a.route === b.route &&
    a.extension === b.extension;
}

/** Metadata that is text, which is what patches compare. */
function texts(metadata: ProxyNode["metadata"]): Record<string, string> {
  const entries = Object.entries(metadata).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Creates the table of classes: a class's key is its content. */
export function deriveClasses({ mesh }: Pick<Context, "mesh">): Derived<ProxyClass> {
  return mesh.graph.derive<ProxyClass>(
    "class",
    (_read, key) => ({ ...JSON.parse(key) as ProxyClass, key }),
  );
}

const CLUSTER_URL = typeUrl(ClusterSchema);

/** Whether a cluster is one that requests are routed to, and no part of the proxy's own set-up. */
function isOutbound(cluster: string): boolean {
  return cluster.startsWith("outbound|");
}

const AGENT_TYPES: ReadonlySet<string> = new Set(Object.values(AGENT_TYPE_URLS));

/**
 * Gives a proxy its seat; see `SeatSource.seat`.
 *
 * @param linger releases layers that a proxy moved away from, a while later: what it
 * held of them is still to be compared with what it sees now
 */
export function takeSeat(
  context: Context,
  placements: Derived<Placement>,
  layersOf: LayersOf,
  agentLayersOf: AgentLayersOf,
  node: ProxyNode,
  onMove: () => void,
  linger: (layers: readonly Collection[]) => void,
): Seat {
  const { graph } = context.mesh;
  const key = canonicalJson({
    basis: classBasis(node, context.features),
    ips: node.ips,
    version: String(node.metadata.MESH_VERSION ?? ""),
    metadata: texts(node.metadata),
  });
  let views = new Map<string, View>();
  let held: Collection[] = [];
  let closed = false;
  let current: Placement;
  // Types for agents that were asked for.
  const asked = new Set<string>();

  const show = (typeUrl: string, layers: readonly Collection[]): void => {
    for (const layer of layers) layer.retain();
    held.push(...layers);
    views.set(typeUrl, graph.view(layers));
  };
  const showAgents = (typeUrl: string): void => {
    const layers = agentLayersOf(current, typeUrl);
    if (layers !== undefined) show(typeUrl, layers);
  };
  const settle = (placement: Placement): void => {
    const before = held;
    current = placement;
    held = [];
    views = new Map();
    for (const [typeUrl, layers] of layersOf(placement)) show(typeUrl, layers);
    for (const typeUrl of asked) showAgents(typeUrl);
    if (before.length > 0) linger(before);
  };
  const watch = graph.watch(placements, key, (placement) => {
    settle(placement);
    onMove();
  });
  settle(watch.value);

  return {
    get classKey() {
      return current.cls.key;
    },
    view: (typeUrl) => {
      if (!closed && AGENT_TYPES.has(typeUrl) && !asked.has(typeUrl)) {
        asked.add(typeUrl);
        showAgents(typeUrl);
      }
      return views.get(typeUrl);
    },
    onDemand: (typeUrl) =>
      current.cls.options.ODCDS === "true" && typeUrl === CLUSTER_URL ? isOutbound : undefined,
    close: () => {
      closed = true;
      watch.close();
      for (const layer of held) layer.release();
      held = [];
      views = new Map();
    },
  };
}
