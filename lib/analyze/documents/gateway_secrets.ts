/**
 * Credentials of Gateways: the Secret exists and has a certificate and key.
 *
 * @module
 */
import { type DocumentAnalyzer, selectedPods } from "../document_set.ts";
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
      const [pod] = selectedPods(
        set.pods(),
        undefined,
        textsOf(mapAt(on.value, "spec", "selector")),
      );
      const namespace = pod?.namespace ?? on.namespace;
      for (const [at, server] of listAt(on.value, "spec", "servers").entries()) {
        const name = textAt(server, "tls", "credentialName");
        if (name === "") continue;
        const path = `spec.servers[${at}].tls.credentialName`;
        const secret = secrets.find((one) => one.name === name && one.namespace === namespace);
        if (secret === undefined) {
          yield { on, code: "MSH0101", args: ["credentialName", name], path };
        } else if (!hasCertificate(secret)) {
          yield { on, code: "MSH0161", args: [on.name, on.namespace], path };
        }
      }
    }
  },
};

/** Names of the certificate and the key in a Secret. */
const PAIRS = [["tls.crt", "tls.key"], ["cert", "key"]] as const;

function hasCertificate({ value }: PlainDocument): boolean {
  return PAIRS.some(([certificate, key]) =>
    pemAt(value, certificate).includes("-----BEGIN CERTIFICATE-----") &&
    pemAt(value, key).includes("PRIVATE KEY-----")
  );
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
