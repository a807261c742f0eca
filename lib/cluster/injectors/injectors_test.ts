import assert from "node:assert/strict";
import { defaultInjectionConfig } from "../inject/mod.ts";
import { defaultMeshConfig, parseMeshConfig } from "../../mesh/schema/mod.ts";
import { parseInjectionConfig } from "../inject/mod.ts";
import { injectedImage } from "./injector_list.ts";
import { injectorVerdict, type WebhookConfig } from "./injectors.ts";

Deno.test("check-inject: the reason is a label that the webhook's selectors require", () => {
  const config = (key: string, value: string): WebhookConfig => ({
    metadata: { name: "injector", labels: { "mesh.io/rev": value } },
    webhooks: [{
      name: "namespace",
      namespaceSelector: { matchExpressions: [{ key, operator: "In", values: [value] }] },
    }],
  });
  const namespace = { "mesh-injection": "enabled", "mesh.io/rev": "canary" };
  const pod = { namespaceName: "shop", namespace, pod: {} };
  const reasonOf = (key: string, value: string) =>
    injectorVerdict(config(key, value), pod, defaultInjectionConfig()).reason;
  assert.equal(
    reasonOf("mesh-injection", "enabled"),
    "Namespace label mesh-injection=enabled matches",
  );
  assert.equal(reasonOf("mesh.io/rev", "canary"), "Namespace label mesh.io/rev=canary matches");
});

Deno.test("check-inject: the injector's own rules count after the selection", () => {
  const config = { metadata: { name: "all" }, webhooks: [{ name: "all" }] };
  const pod = { namespaceName: "shop", namespace: {}, pod: {}, hostNetwork: true };
  const verdict = injectorVerdict(config, pod, defaultInjectionConfig());
  assert.deepEqual([verdict.injected, verdict.reason], [
    false,
    "The pod uses the network of its node (hostNetwork)",
  ]);
});

Deno.test("injector list: the image is the one that injection gives to a proxy", () => {
  const settings = (values: object) =>
    parseInjectionConfig({ config: "", values: JSON.stringify(values) });
  const { value: distroless } = parseMeshConfig(
    "defaultConfig: {image: {imageType: distroless}}",
    "mesh",
    defaultMeshConfig(),
  );
  const proxy = { hub: "registry.test/mesh", tag: "1.2", proxy: { image: "edge" } };
  assert.equal(
    injectedImage(settings({ global: proxy }), defaultMeshConfig()),
    "registry.test/mesh/edge:1.2",
  );
  assert.equal(
    injectedImage(settings({ global: { ...proxy, variant: "debug" } }), defaultMeshConfig()),
    "registry.test/mesh/edge:1.2-debug",
  );
  assert.equal(
    injectedImage(settings({ global: proxy }), distroless!),
    "registry.test/mesh/edge:1.2-distroless",
  );
  assert.equal(
    injectedImage(settings({ global: { proxy: { image: "own.test/edge:7" } } }), distroless!),
    "own.test/edge:7",
  );
});
