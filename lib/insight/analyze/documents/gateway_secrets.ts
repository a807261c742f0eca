/**
 * Credentials of Gateways: the Secret exists and has a certificate and key.
 *
 * @module
 */
import { hasLabels } from "../../../mesh/model/mod.ts";
import { type DocumentAnalyzer, type DocumentSet, podsSelectedBy } from "../document_set.ts";
import { type Labels, labelText } from "../workload_indexes.ts";
import { listAt, mapAt, type PlainDocument, textAt, textsOf, valueAt } from "../plain.ts";
import { MESH_NETWORKING } from "./groups.ts";

/** Servers whose Secret is missing or has no certificate. */
export const GATEWAY_SECRETS: DocumentAnalyzer = {
  name: "gateway.SecretAnalyzer",
  kinds: ["Secret", "Gateway", "Pod"],
  codes: ["MSH0101", "MSH0161"],
  *analyze(set) {
    const secrets = set.of("Secret", "");
    for (const on of set.of("Gateway", MESH_NETWORKING)) {
      const selector = textsOf(mapAt(on.value, "spec", "selector"));
      const namespace = namespaceOf(set, selector);
      if (namespace === undefined) {
        yield {
          on,
          code: "MSH0101",
          args: ["selector", labelText(selector)],
          path: "spec.selector",
        };
        continue;
      }
      for (const [at, server] of listAt(on.value, "spec", "servers").entries()) {
        const name = textAt(server, "tls", "credentialName");
        if (name === "") continue;
        const path = `spec.servers[${at}].tls.credentialName`;
        const secret = secrets.find((one) => one.name === name && one.namespace === namespace);
        if (secret === undefined) {
          yield { on, code: "MSH0101", args: ["credentialName", name], path };
        } else if (!hasCertificate(secret, set.settings.certificateFault)) {
          yield { on, code: "MSH0161", args: [on.name, on.namespace], path };
        }
      }
    }
  },
};

/** The namespace of the first workload that a selector selects; `undefined`: it selects none. */
function namespaceOf(set: DocumentSet, selector: Labels): string | undefined {
  const [pod] = podsSelectedBy(set, selector);
  if (pod !== undefined) return pod.namespace;
  return set.of("WorkloadEntry").find(({ labels, value }) =>
    hasLabels({ ...labels, ...textsOf(mapAt(value, "spec", "labels")) }, selector)
  )?.namespace;
}

/** Keys of a certificate and its private key in a Secret; the first pair that is there counts. */
const PAIRS = [["cert", "key"], ["tls.crt", "tls.key"]] as const;

/** True for a Secret with a certificate, which is valid now, and a key. */
function hasCertificate(
  { value }: PlainDocument,
  faultOf: (pem: string) => string | undefined = () => undefined,
): boolean {
  const pair = PAIRS.map((names) => names.map((name) => pemAt(value, name)))
    .find(([certificate, key]) => certificate !== "" && key !== "");
  const [certificate = ""] = pair ?? [];
  return certificate.includes("-----BEGIN CERTIFICATE-----") && faultOf(certificate) === undefined;
}

function pemAt(value: unknown, name: string): string {
  const plain = valueAt(value, "stringData", name);
  if (typeof plain === "string") return plain;
  try {
    return atob(textAt(value, "data", name).replace(/\s+/g, ""));
  } catch {
    return "";
  }
}
