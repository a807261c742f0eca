import type { ResourceType } from "../../lib/kit/orch/mod.ts";

const type = (kind: string): ResourceType => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: false,
});

/** Configurations of mutating webhooks. */
export const MUTATING: ResourceType = type("MutatingWebhookConfiguration");

/** Configurations of validating webhooks. */
export const VALIDATING: ResourceType = type("ValidatingWebhookConfiguration");
