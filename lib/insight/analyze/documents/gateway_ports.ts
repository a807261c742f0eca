/**
 * Ports of Gateways: the Service in front of their pods has them.
 *
 * @module
 */
import {
  type DocumentAnalyzer,
  type DocumentSet,
  type PodShape,
  podsSelectedBy,
} from "../document_set.ts";
import { type Labels, labelText } from "../workload_indexes.ts";
import { listAt, mapAt, textAt, textsOf, valueAt } from "../plain.ts";
import { MESH_NETWORKING } from "./groups.ts";

/** Servers at ports that no Service of the gateway's pods has. */
export const GATEWAY_PORTS: DocumentAnalyzer = {
  name: "gateway.IngressGatewayPortAnalyzer",
  kinds: ["Gateway", "Pod", "Service"],
  codes: ["MSH0162"],
  *analyze(set) {
    for (const on of set.of("Gateway", MESH_NETWORKING)) {
      const selector = textsOf(mapAt(on.value, "spec", "selector"));
      const pods = podsSelectedBy(set, selector);
      if (pods.length === 0) continue;
      const ports = portsOf(set, pods);
      for (const [at, server] of listAt(on.value, "spec", "servers").entries()) {
        const port = textAt(server, "port", "number");
        if (port === "" || ports.has(port)) continue;
        const path = `spec.servers[${at}].port.number`;
        yield { on, code: "MSH0162", args: [port, labelText(selector)], path };
      }
    }
  },
};

/** The ports at which a gateway may listen: those of Services of its pods, and their target ports. */
function portsOf(set: DocumentSet, pods: readonly PodShape[]): ReadonlySet<string> {
  const services = set.of("Service", "").filter(({ namespace, value }) => {
    const selector: Labels = textsOf(mapAt(value, "spec", "selector"));
    return podsSelectedBy({ pods: () => pods }, selector)
      .some((pod) => pod.namespace === namespace);
  });
  return new Set(
    services.flatMap(({ value }) => listAt(value, "spec", "ports"))
      .filter((port) => ["", "TCP"].includes(textAt(port, "protocol")))
      .flatMap((port) => {
        const target = valueAt(port, "targetPort");
        const own = textAt(port, "port");
        return typeof target === "number" && target !== 0 ? [own, `${target}`] : [own];
      }),
  );
}
