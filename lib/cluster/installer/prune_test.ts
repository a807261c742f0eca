import assert from "node:assert/strict";
import type { OrchObject } from "../../kit/orch/mod.ts";
import { COMPONENT_LABEL, type Installation, OWNER_LABEL } from "./plan.ts";
import { type Found, prunable, removedGateways, removedPlugin } from "./prune.ts";
import { installedRevisions, removable } from "./removal.ts";

interface Marks {
  readonly component?: string;
  readonly owner?: string;
  readonly revision?: string;
  readonly kind?: string;
}

function object(name: string, marks: Marks = {}): OrchObject {
  const { component = "Pilot", owner = "own", revision = "default", kind = "ConfigMap" } = marks;
  const labels = {
    [OWNER_LABEL]: owner,
    [COMPONENT_LABEL]: component,
    ...component === "Base" || component === "Cni" ? {} : { "mesh.io/rev": revision },
  };
  return { apiVersion: "v1", kind, metadata: { name, namespace: "mesh-system", labels } };
}

function found(...objects: readonly OrchObject[]): Found[] {
  const type = { group: "", version: "v1", plural: "x", kind: "X", namespaced: true };
  return objects.map((one) => ({ object: one, type }));
}

function installation(...objects: readonly OrchObject[]): Installation {
  const groups = Map.groupBy(objects, ({ metadata }) => metadata.labels![COMPONENT_LABEL]!);
  return {
    ...{ revision: "default", version: "1.0.0", namespace: "mesh-system" },
    components: [...groups].map(([component, all]) => ({
      ...{ component, name: "", namespace: "mesh-system", objects: all },
    })),
  };
}

const names = (all: readonly Found[]): string[] => all.map(({ object }) => object.metadata.name);

Deno.test("objects that the plan no longer has are removed, but for other owners and revisions", () => {
  const kept = object("kept");
  const all = found(
    kept,
    object("old"),
    object("of-canary", { revision: "canary" }),
    object("of-another", { owner: "another" }),
    object("egress", { component: "EgressGateways" }),
    object("definition", { kind: "CustomResourceDefinition", component: "Base" }),
    object("shared", { component: "Base" }),
    object("no-component", { component: "" }),
  );
  assert.deepEqual(names(prunable(all, installation(kept))), ["old", "egress", "no-component"]);
});

Deno.test("an installation of a gateway alone concerns only gateways", () => {
  const gateway = object("gateway", { component: "IngressGateways" });
  const all = found(gateway, object("meshd"), object("old", { component: "IngressGateways" }));
  assert.deepEqual(names(prunable(all, installation(gateway))), ["old"]);
});

Deno.test("shared objects are removed only when no other revision is there", () => {
  const reader = object("reader", { component: "Base" });
  const definition = object("old", { kind: "CustomResourceDefinition", component: "Base" });
  const all = found(object("meshd"), reader, definition);
  const without = installation(object("meshd"), object("other", { component: "Base" }));
  assert.deepEqual(names(prunable(all, without)), ["reader"]);
  const two = [...all, ...found(object("meshd-canary", { revision: "canary" }))];
  assert.deepEqual(names(prunable(two, without)), []);
});

Deno.test("gateways that are removed are named with their owner", () => {
  const all = found(
    object("old", { kind: "Deployment" }),
    object("edge", { kind: "Deployment", component: "EgressGateways", owner: "unknown" }),
    object("edge", { kind: "Service", component: "EgressGateways", owner: "unknown" }),
  );
  const [text, ...more] = removedGateways(all);
  assert.match(text!, /will be removed: Deployment mesh-system\/edge\. They belong to unknown, /);
  assert.deepEqual(more, []);
  assert.deepEqual(removedGateways(all.slice(0, 1)), []);
});

Deno.test("objects that others own, and those that are being deleted, are not removed", () => {
  const { metadata, ...rest } = object("old");
  const ownerReferences = [{ apiVersion: "v1", kind: "X", name: "x", uid: "1" }];
  const owned = { ...rest, metadata: { ...metadata, ownerReferences } };
  const ending = { ...rest, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  assert.deepEqual(prunable(found(owned, ending), installation(object("kept"))), []);
  assert.deepEqual(removable(found(owned, ending), { kind: "purge" }), []);
});

Deno.test("a revision is removed without what all revisions share", () => {
  const all = found(
    object("meshd"),
    object("meshd-canary", { revision: "canary" }),
    object("definition", { component: "Base" }),
  );
  const scope = { kind: "revision", revision: "canary" } as const;
  assert.deepEqual(names(removable(all, scope)), ["meshd-canary"]);
  assert.deepEqual(names(removable(all, { kind: "purge" })), names(all));
  assert.deepEqual(installedRevisions(all).map(({ revision }) => revision), ["canary", "default"]);
});

Deno.test("a shared webhook goes with the revision that serves it", () => {
  const service = object("meshd", { kind: "Service" });
  const clientConfig = { service: { name: "meshd", namespace: "mesh-system" } };
  const webhook = {
    ...object("validator", { kind: "ValidatingWebhookConfiguration", component: "Base" }),
    webhooks: [{ name: "validation.mesh.io", clientConfig }],
  };
  const all = found(service, webhook, object("meshd-canary", { revision: "canary" }));
  const of = (revision: string) => names(removable(all, { kind: "revision", revision }));
  assert.deepEqual(of("default"), ["meshd", "validator"]);
  assert.deepEqual(of("canary"), ["meshd-canary"]);
});

Deno.test("a file removes only objects that it names, of its revision", () => {
  const named = object("named");
  const all = found(named, object("other"));
  const scope = { kind: "objects", installation: installation(named) } as const;
  assert.deepEqual(names(removable(all, scope)), ["named"]);
});

Deno.test("the network plugin goes with the last revision, and with a plan that lacks it", () => {
  const plugin = object("plugin", { component: "Cni", kind: "DaemonSet" });
  const meshd = object("meshd");
  const canary = object("meshd-canary", { revision: "canary" });
  const [alone, both] = [found(plugin, meshd), found(plugin, meshd, canary)];
  const pruned = prunable(alone, installation(meshd));
  assert.deepEqual(names(pruned), ["plugin"]);
  assert.match(removedPlugin(pruned)[0]!, /network plugin, .*DaemonSet mesh-system\/plugin/);
  assert.deepEqual(removedPlugin(prunable(both, installation(meshd))), []);
  const revision = { kind: "revision", revision: "default" } as const;
  assert.deepEqual(names(removable(alone, revision)), ["plugin", "meshd"]);
  assert.deepEqual(names(removable(both, revision)), ["meshd"]);
  const file = { kind: "objects", installation: installation(plugin) } as const;
  assert.deepEqual(names(removable(alone, file)), ["plugin"]);
  assert.deepEqual(names(removable(both, file)), []);
  assert.deepEqual(
    installedRevisions(both).map((one) => one.revision),
    ["default", "canary"].sort(),
  );
});
