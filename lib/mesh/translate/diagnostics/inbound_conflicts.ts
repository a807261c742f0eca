/**
 * Ports of a workload for which its services declare different protocols. They are computed on
 * request and are not part of served resources.
 *
 * @module
 */
import type { Mesh } from "../../derive/mod.ts";
import { type ProxyClass, serviceKeys } from "../../model/mod.ts";

/** Ports of a class's workload at which several services declare different protocols; the first by key decides. */
export function inboundConflicts({ graph, services }: Mesh, { targets }: ProxyClass): number {
  const protocols = new Map<number, Set<string>>();
  for (const { service, port, targetPort } of targets) {
    const declared = graph.peek(services.service, serviceKeys.decode(service))?.ports.find((p) =>
      p.number === port
    );
    if (declared === undefined || declared.protocol === "UDP") continue;
    const known = protocols.get(targetPort) ?? new Set();
    protocols.set(targetPort, known.add(declared.protocol));
  }
  return [...protocols.values()].filter((one) => one.size > 1).length;
}
