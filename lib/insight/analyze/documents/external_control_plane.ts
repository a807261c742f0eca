/**
 * Webhooks of a control plane outside the cluster: their addresses.
 *
 * @module
 */
import { isIp } from "../../../kit/text/mod.ts";
import type { DocumentAnalyzer, DocumentFinding } from "../document_set.ts";
import { listAt, type PlainDocument, textAt, valueAt } from "../plain.ts";

/** Names of the configurations of the mesh's webhooks, by kind. */
const NAMES: Readonly<Record<string, RegExp>> = {
  ValidatingWebhookConfiguration: /^(meshd-default-validator$|mesh-validator)/,
  MutatingWebhookConfiguration: /^mesh-sidecar-injector/,
};

/** Webhooks of the mesh without address, or with an IP address. */
export const EXTERNAL_CONTROL_PLANE: DocumentAnalyzer = {
  name: "externalcontrolplane.ExternalControlPlaneAnalyzer",
  kinds: ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
  codes: ["MSH0163", "MSH0164"],
  *analyze(set) {
    for (const [kind, names] of Object.entries(NAMES)) {
      for (const on of set.of(kind)) if (names.test(on.name)) yield* addressFindings(on);
    }
  },
};

function* addressFindings(on: PlainDocument): Iterable<DocumentFinding> {
  for (const [at, webhook] of listAt(on.value, "webhooks").entries()) {
    const isInCluster = valueAt(webhook, "clientConfig", "service") !== undefined;
    const [name, written] = [textAt(webhook, "name"), textAt(webhook, "clientConfig", "url")];
    const path = `webhooks[${at}].clientConfig.url`;
    if (written === "" && isInCluster) continue;
    const host = URL.parse(written)?.hostname.replace(/^\[|\]$/g, "") ?? "";
    if (host === "") {
      const fault = written === "" ? "is blank" : "is no URL";
      yield { on, code: "MSH0163", args: [written, name, fault], path };
    } else if (isIp(host)) {
      yield { on, code: "MSH0164", args: [host, name], path };
    }
  }
}
