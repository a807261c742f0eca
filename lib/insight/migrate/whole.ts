/**
 * Objects that are not changed at all: what an installation makes, and kinds without a counterpart.
 *
 * @module
 */
import { newNames } from "../../mesh/schema/mod.ts";
import { groupOf, isForeignObject, textAt } from "./place.ts";
import type { Remark } from "./remark.ts";

/** Kinds that only installations read. */
const WITHOUT_READER: ReadonlySet<string> = new Set(["IstioOperator"]);

const WEBHOOKS: ReadonlySet<string> = new Set([
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
]);

/** The reason for which an object stays as it is. */
export function staysWhole(object: unknown): Pick<Remark, "message" | "remedy"> | undefined {
  const kind = textAt(object, "kind");
  const name = textAt(object, "metadata", "name");
  const isInstalled = kind === "CustomResourceDefinition"
    ? name.endsWith(".istio.io")
    : WEBHOOKS.has(kind)
    ? /^istio(d|-)/.test(name)
    : kind === "ConfigMap" && /^istio-sidecar-injector(-|$)/.test(name);
  if (isInstalled) {
    return {
      message: `${kind} ${name} belongs to the installation of Istio and stays as it is`,
      remedy: "Remove it from the manifests: an installation of Mesh makes its own.",
    };
  }
  if (!isForeignObject(object) || WITHOUT_READER.has(kind)) return undefined;
  const names = newNames(groupOf(object), kind);
  if (names === undefined || names.apiVersion !== undefined) return undefined;
  return {
    message: `${kind} of ${groupOf(object)} has no counterpart and stays as it is`,
    remedy: "Remove it; docs/reference has the kinds that there are.",
  };
}
