/**
 * Seats: which class a connected proxy belongs to, and its views.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { canonicalJson } from "../../base/mod.ts";
import type { Collection, Derived, View } from "../../graph/mod.ts";
import type { ProxyBinding, ProxyNode } from "../../model/mod.ts";
import { typeUrl } from "../../proto/mod.ts";
import type { AgentLayersOf, Context, LayersOf, Placement } from "../context/mod.ts";
import { AGENT_TYPE_URLS } from "../resources/mod.ts";
import { classBasis } from "./classify.ts";
import { texts } from "./placements.ts";

const CLUSTER_URL = typeUrl(ClusterSchema);

/** Whether a cluster is one that requests are routed to, and no part of the proxy's own set-up. */
function isOutbound(cluster: string): boolean {
  return cluster.startsWith("outbound|");
}

const AGENT_TYPES: ReadonlySet<string> = new Set(Object.values(AGENT_TYPE_URLS));

/**
 * Binds a proxy to its class; see `BindingSource.bind`.
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
  onRebind: () => void,
  linger: (layers: readonly Collection[]) => void,
): ProxyBinding {
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
    onRebind();
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
