/**
 * Proxy bindings: a connected proxy is bound to its class, and sees one view for each resource type.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { Collection, Derived, View } from "../../graph/mod.ts";
import type { ProxyBinding, ProxyNode } from "../../model/mod.ts";
import { typeUrl } from "../../proto/mod.ts";
import type { AgentLayersOf, ClassBinding, Context, LayersOf } from "../context/mod.ts";
import { AGENT_TYPE_URLS } from "../resources/mod.ts";
import { type ProxyKey, proxyKeyOf } from "./class_bindings.ts";

const CLUSTER_URL = typeUrl(ClusterSchema);

/**
 * Reports if requests are routed to a cluster; other clusters are part of the proxy's own set-up.
 */
function isOutbound(cluster: string): boolean {
  return cluster.startsWith("outbound|");
}

const AGENT_TYPES: ReadonlySet<string> = new Set(Object.values(AGENT_TYPE_URLS));

/** The sources of the views of proxy bindings. */
export interface BindingTables {
  readonly bindings: Derived<ClassBinding, ProxyKey>;
  readonly layersOf: LayersOf;
  readonly agentLayersOf: AgentLayersOf;
  /**
   * Releases layers that a proxy no longer sees, a publication later: the difference to what the
   * proxy sees now is still to be computed.
   */
  readonly releaseLater: (layers: readonly Collection[]) => void;
}

/** Binds a proxy to its class; see `BindingSource.bind`. */
export function bindProxy(
  context: Context,
  tables: BindingTables,
  node: ProxyNode,
  onRebind: () => void,
): ProxyBinding {
  const { graph } = context.mesh;
  const { layersOf, agentLayersOf, releaseLater } = tables;
  let views = new Map<string, View>();
  let retained: Collection[] = [];
  let closed = false;
  let current: ClassBinding;
  // Types of agents with a subscription.
  const agentTypes = new Set<string>();

  const show = (typeUrl: string, layers: readonly Collection[]): void => {
    for (const layer of layers) layer.retain();
    retained.push(...layers);
    views.set(typeUrl, graph.view(layers));
  };
  const showAgents = (typeUrl: string): void => {
    const layers = agentLayersOf(current, typeUrl);
    if (layers !== undefined) show(typeUrl, layers);
  };
  const bind = (binding: ClassBinding): void => {
    const before = retained;
    current = binding;
    retained = [];
    views = new Map();
    for (const [typeUrl, layers] of layersOf(binding)) show(typeUrl, layers);
    for (const typeUrl of agentTypes) showAgents(typeUrl);
    if (before.length > 0) releaseLater(before);
  };
  const watch = graph.watch(tables.bindings, proxyKeyOf(node, context.features), (binding) => {
    bind(binding);
    onRebind();
  });
  bind(watch.value);

  return {
    get classKey() {
      return current.cls.key;
    },
    view: (typeUrl) => {
      if (!closed && AGENT_TYPES.has(typeUrl) && !agentTypes.has(typeUrl)) {
        agentTypes.add(typeUrl);
        showAgents(typeUrl);
      }
      return views.get(typeUrl);
    },
    onDemand: (typeUrl) =>
      current.cls.options.ODCDS === "true" && typeUrl === CLUSTER_URL ? isOutbound : undefined,
    close: () => {
      closed = true;
      watch.close();
      for (const layer of retained) layer.release();
      retained = [];
      views = new Map();
    },
  };
}
