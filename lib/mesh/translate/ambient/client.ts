/**
 * Bindings of node proxies. All see the same; on demand, each the addresses that it names.
 *
 * @module
 */
import { canonicalJson, MeshError } from "../../../kit/base/mod.ts";
import { addressTexts } from "../../ambient/mod.ts";
import { type Mesh, nodeWhole } from "../../derive/mod.ts";
import type { ProxyBinding, ProxyNode } from "../../model/mod.ts";
import { bindToLayers } from "../resources/mod.ts";
import type { AmbientLayers } from "./layers.ts";

/** The class of all node proxies, in the form of the classes of other proxies. */
const CLASS = canonicalJson({
  role: "ztunnel",
  namespace: "",
  labels: {},
  options: {},
  targets: [],
});

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
  const at = `${cluster || ambient?.clusterId}`;
  const unasked = [
    ...node ? [nodeWhole(at, `${node}`)] : [],
    ...addressTexts(typeof network === "string" ? network : "", ips),
  ];
  return { ...bindToLayers(graph, CLASS, layersOf), unasked };
}
