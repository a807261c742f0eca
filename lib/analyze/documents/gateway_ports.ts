/**
 * Ports of Gateways: the Service in front of their pods has them.
 *
 * @module
 */
import { hasLabels } from "../../model/mod.ts";
import { type DocumentAnalyzer, type DocumentSet, selectedPods } from "../document_set.ts";
import { labelText } from "../indexes.ts";
import { listAt, mapAt, textAt, textsOf } from "../plain.ts";
import { MESH_NETWORKING } from "./groups.ts";

/** Servers at ports that no Service of the gateway's pods has. */
export const GATEWAY_PORTS: DocumentAnalyzer = {
  name: "gateway.IngressGatewayPortAnalyzer",
  kinds: ["Gateway", "Pod", "Service"],
  codes: ["MSH0162"],
  *analyze(set) {
    for (const on of set.of("Gateway", MESH_NETWORKING)) {
      const selector = textsOf(mapAt(on.value, "spec", "selector"));
      const ports = portsOf(set, selectedPods(set.pods(), undefined, selector));
      if (ports === undefined) continue;
      for (const [at, server] of listAt(on.value, "spec", "servers").entries()) {
        const port = textAt(server, "port", "number");
        if (port === "" || ports.has(port)) continue;
        const path = `spec.servers[${at}].port.number`;
        yield { on, code: "MSH0162", args: [port, labelText(selector)], path };
      }
    }
  },
};

/** The TCP ports of the Services in front of pods; `undefined` without pods. */
function portsOf(
  set: DocumentSet,
  pods: ReturnType<typeof selectedPods>,
): ReadonlySet<string> | undefined {
  if (pods.length === 0) return undefined;
  const services = set.of("Service", "").filter(({ namespace, value }) => {
    const selector = textsOf(mapAt(value, "spec", "selector"));
    return Object.keys(selector).length > 0 &&
      pods.some((pod) => pod.namespace === namespace && hasLabels(pod.labels, selector));
  });
  return new Set(
    services.flatMap(({ value }) => listAt(value, "spec", "ports"))
      .filter((port) => ["", "TCP"].includes(textAt(port, "protocol")))
      .map((port) => textAt(port, "port")),
  );
}
