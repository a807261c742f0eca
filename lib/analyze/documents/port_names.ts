/**
 * Names of Service ports, from which the protocol is taken.
 *
 * @module
 */
import { PROTOCOLS } from "../../schema/mod.ts";
import { type DocumentAnalyzer, type DocumentFinding, isSystemNamespace } from "../document_set.ts";
import { listAt, type PlainDocument, textAt } from "../plain.ts";

/** A port whose name has no protocol. */
export const PORT_NAMES: DocumentAnalyzer = {
  name: "service.PortNameAnalyzer",
  kinds: ["Service"],
  codes: ["MSH0118", "MSH0150"],
  *analyze(set) {
    for (const service of set.of("Service", "")) {
      const { namespace, labels } = service;
      const isOwn = namespace === set.settings.meshNamespace &&
        (labels.mesh !== undefined || labels.release === "mesh");
      if (isSystemNamespace(namespace) || isOwn) continue;
      yield* portFindings(service);
    }
  },
};

function* portFindings(service: PlainDocument): Iterable<DocumentFinding> {
  const isExternal = textAt(service.value, "spec", "type") === "ExternalName";
  for (const [at, port] of listAt(service.value, "spec", "ports").entries()) {
    if (["UDP", "SCTP"].includes(textAt(port, "protocol"))) continue;
    if (textAt(port, "appProtocol") !== "") continue;
    const name = textAt(port, "name");
    const protocol = protocolOf(name);
    const path = `spec.ports[${at}]`;
    if (isExternal) {
      // The host of an external name is matched by the names in TLS and HTTP; plain TCP has none.
      if (protocol === undefined || protocol === "TCP") {
        yield { on: service, code: "MSH0150", args: [], path };
      }
    } else if (protocol === undefined) {
      const args = [name, textAt(port, "port"), textAt(port, "targetPort")];
      yield { on: service, code: "MSH0118", args, path };
    }
  }
}

function protocolOf(name: string): string | undefined {
  const upper = name.toUpperCase();
  return [...PROTOCOLS].sort((a, b) => b.length - a.length)
    .find((one) => upper === one || upper.startsWith(`${one}-`));
}
