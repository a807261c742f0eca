/**
 * Bindings of node proxies. Those of one network see the same; on demand, each the addresses that it names.
 *
 * @module
 */
import { canonicalJson, MeshError } from "../../../kit/base/mod.ts";
import { addressTexts } from "../../ambient/mod.ts";
import { type Mesh, nodeWhole } from "../../derive/mod.ts";
import type { ProxyBinding, ProxyNode } from "../../model/mod.ts";
import { bindToLayers } from "../resources/mod.ts";
import type { AmbientLayers } from "./layers.ts";

/** The class of the node proxies of a network, in the form of the classes of other proxies. */
function classOf(network: string): string {
  return canonicalJson({
    role: "ztunnel",
    namespace: "",
    labels: {},
    options: network === "" ? {} : { NETWORK: network },
    targets: [],
  });
}

/**
 * Binds a node proxy; see `BindingSource.bind`. On demand, it is sent the workloads of its node unasked, and
 * those at its own addresses. Throws `MeshError` where ambient mode is off.
 */
export function bindNodeProxy(
  { graph, ambient }: Mesh,
  layersOf: AmbientLayers | undefined,
  { metadata, ips }: ProxyNode,
): ProxyBinding {
  if (layersOf === undefined) {
    throw new MeshError("node-proxies-not-served", "node proxies are not served", {
      remedy: "set PILOT_ENABLE_AMBIENT=true at the daemon",
    });
  }
  const { NODE_NAME: node, CLUSTER_ID: cluster, NETWORK: network } = metadata;
  const own = typeof network === "string" ? network : "";
  const at = `${cluster || ambient?.clusterId}`;
  const unasked = [
    ...node ? [nodeWhole(at, `${node}`)] : [],
    ...addressTexts(own, ips),
  ];
  return {
    ...bindToLayers(
      graph,
      classOf(ambient?.multiNetwork ? own : ""),
      (typeUrl) => layersOf(typeUrl, own),
    ),
    unasked,
  };
}
