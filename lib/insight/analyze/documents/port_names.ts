/**
 * Names of Service ports, from which the protocol is taken.
 *
 * @module
 */
import { type DocumentAnalyzer, type DocumentFinding, isSystemNamespace } from "../document_set.ts";
import { listAt, type PlainDocument, textAt } from "../plain.ts";
import { isManaged, isOfControlPlane } from "./mesh_objects.ts";

/** A port whose name has no protocol. */
export const PORT_NAMES: DocumentAnalyzer = {
  name: "service.PortNameAnalyzer",
  kinds: ["Service"],
  codes: ["MSH0118", "MSH0150"],
  *analyze(set) {
    for (const service of set.of("Service", "")) {
      const isExempt = isSystemNamespace(service.namespace) || isOfControlPlane(service) ||
        isManaged(service);
      if (!isExempt) yield* portFindings(service);
    }
  },
};

function* portFindings(service: PlainDocument): Iterable<DocumentFinding> {
  const isExternal = textAt(service.value, "spec", "type") === "ExternalName";
  for (const [at, port] of listAt(service.value, "spec", "ports").entries()) {
    if (["UDP", "SCTP"].includes(textAt(port, "protocol"))) continue;
    const name = textAt(port, "name");
    const path = `spec.ports[${at}]`;
    if (isExternal) {
      // The host of an external name is matched by the names in TLS and HTTP; plain TCP has none.
      if (!isKnown(port) || name.toLowerCase() === "tcp") {
        yield { on: service, code: "MSH0150", args: [], path };
      }
    } else if (!isKnown(port)) {
      const args = [name, textAt(port, "port"), textAt(port, "targetPort")];
      yield { on: service, code: "MSH0118", args, path };
    }
  }
}

/** Protocols that begin the names of ports, and values of `appProtocol`. */
const PROTOCOLS: ReadonlySet<string> = new Set([
  ...["tcp", "udp", "grpc", "http", "http_proxy", "http2", "https", "tls"],
  ...["mongo", "redis", "mysql"],
]);
const APP_PROTOCOLS: ReadonlySet<string> = new Set([
  "kubernetes.io/h2c",
  "kubernetes.io/ws",
  "kubernetes.io/wss",
]);
/** Ports of protocols in which the server speaks first; without a known protocol they are TCP. */
const TCP_PORTS: ReadonlySet<string> = new Set(["25", "53", "3306", "27017"]);

/** True if the protocol of a port is declared, by `appProtocol` or else by the name. */
function isKnown(port: unknown): boolean {
  const written = (textAt(port, "appProtocol") || textAt(port, "name")).toLowerCase();
  return APP_PROTOCOLS.has(written) || written.startsWith("grpc-web") ||
    PROTOCOLS.has(written.split("-")[0]!) || TCP_PORTS.has(textAt(port, "port"));
}
