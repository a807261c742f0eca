/**
 * Cases of `tag`: pods of a namespace with the name of a tag are injected by its revision.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  deleteObject,
  getObject,
  type OrchClient,
  type OrchObject,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import { make } from "../../support/cluster_objects.ts";
import { MUTATING, VALIDATING } from "../../support/webhook_types.ts";
import type { CommandCluster } from "./machines.ts";

interface Configuration extends OrchObject {
  readonly webhooks: readonly {
    readonly name: string;
    readonly clientConfig: { readonly caBundle?: string; readonly url?: string };
    readonly namespaceSelector: { readonly matchLabels?: Readonly<Record<string, string>> };
  }[];
}

interface InjectedPod extends OrchObject {
  readonly spec: { readonly containers: readonly { readonly name: string }[] };
}

/** The injector of a revision, as an installation makes it, but with a URL. */
export function injector(revision: string, port: number): OrchObject {
  const isDefault = revision === "default";
  const namespaceSelector = isDefault ? { matchLabels: { "mesh-injection": "enabled" } } : {
    matchLabels: { "mesh.io/rev": revision },
    matchExpressions: [{ key: "mesh-injection", operator: "DoesNotExist" }],
  };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: {
      name: `mesh-sidecar-injector${isDefault ? "" : `-${revision}`}`,
      labels: { "mesh.io/rev": revision, app: "sidecar-injector" },
    },
    webhooks: [{
      name: isDefault
        ? "namespace.sidecar-injector.mesh.io"
        : "rev.namespace.sidecar-injector.mesh.io",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      clientConfig: { url: `https://localhost:${port}/inject` },
      failurePolicy: "Fail",
      namespaceSelector,
      rules: [{
        operations: ["CREATE"],
        apiGroups: [""],
        apiVersions: ["v1"],
        resources: ["pods"],
      }],
    }],
  } as OrchObject;
}

async function containersOf(client: OrchClient, namespace: string, name: string): Promise<string> {
  await make(client, types.POD, { name, namespace, labels: { app: name } }, {
    spec: { serviceAccountName: "default", containers: [{ name: "web", image: "web:1" }] },
  });
  const { spec } = await getObject<InjectedPod>(client, types.POD, { namespace, name });
  return spec.containers.map((one) => one.name).join();
}

const read = (client: OrchClient, name: string) =>
  getObject<Configuration>(client, MUTATING, { name });

export async function revisionTags({ cluster, client, run }: CommandCluster): Promise<void> {
  const bundled = async (name: string) =>
    (await read(client, name)).webhooks.every(({ clientConfig }) =>
      clientConfig.caBundle !== undefined
    );
  await eventually("the bundle of canary", () => bundled("mesh-sidecar-injector-canary"));
  await namedTag({ client, run });
  await defaultTag({ cluster, client, run });
}

type Tagged = Pick<CommandCluster, "client" | "run">;

async function namedTag({ client, run }: Tagged): Promise<void> {
  const unknown = await run("tag", "set", "prod", "-r", "gone");
  assert.match(unknown.err, /the revision "gone" has no injector.*\n.*canary, default\./);
  const set = await run("tag", "set", "prod", "-r", "canary");
  assert.deepEqual([set.status, set.err], [0, ""]);
  assert.match(
    set.out,
    /^Revision tag "prod" created, referencing control plane revision "canary"/,
  );
  for (const namespace of ["tagged", "untagged"]) {
    const labels = namespace === "tagged" ? { "mesh.io/rev": "prod" } : {};
    await make(client, types.NAMESPACE, { name: namespace, namespace: undefined, labels });
    await make(client, types.SERVICE_ACCOUNT, { name: "default", namespace }).catch(() => {});
  }
  assert.equal(await containersOf(client, "tagged", "a"), "web,mesh-proxy");
  assert.equal(await containersOf(client, "untagged", "a"), "web");
  const again = await run("tag", "set", "prod", "-r", "default");
  assert.match(again.err, /^Error: the revision tag "prod" already exists.*"canary"\nAdd --overw/);
  const collides = await run("tag", "set", "canary", "-r", "default");
  assert.match(collides.err, /there is a revision with the name "canary" of the tag/);
  const { out } = await run("tag", "list");
  assert.deepEqual(out.trimEnd().split("\n").map((line) => line.split(/\s+/)), [
    ["TAG", "REVISION", "NAMESPACES"],
    ["prod", "canary", "tagged"],
  ]);
  const json = JSON.parse((await run("tag", "show", "-o", "json")).out);
  assert.deepEqual(json, [{ tag: "prod", revision: "canary", namespaces: ["tagged"] }]);
}

async function defaultTag(
  { cluster, client, run }: Tagged & Pick<CommandCluster, "cluster">,
): Promise<void> {
  await make(client, types.NAMESPACE, {
    ...{ name: "enabled", namespace: undefined },
    labels: { "mesh-injection": "enabled" },
  });
  await make(client, types.SERVICE_ACCOUNT, { name: "default", namespace: "enabled" })
    .catch(() => {});
  await conflict({ client, run });
  // The manifest is applied by others: it has the whole change.
  const generated = await run("tag", "generate", "default", "-r", "canary");
  assert.deepEqual([generated.status, generated.err], [0, ""]);
  const { success, text } = await cluster.run(["apply", "-f", "-"], generated.out);
  assert.ok(success, text);
  assert.equal(await containersOf(client, "enabled", "a"), "web,mesh-proxy");
  const old = await read(client, "mesh-sidecar-injector");
  assert.deepEqual(old.webhooks[0]?.namespaceSelector.matchLabels, {
    "mesh.io/deactivated": "never-match",
  });
  const validator = await getObject<Configuration>(client, VALIDATING, {
    name: "meshd-default-validator",
  });
  assert.match(validator.webhooks[0]?.clientConfig.url ?? "", /\/validate$/);
  await removal({ client, run });
}

/** Another injector takes all namespaces. */
async function conflict({ client, run }: Tagged): Promise<void> {
  const { webhooks: [webhook] } = injector("other", 1) as Configuration;
  await make(client, MUTATING, { name: "everything" }, {
    webhooks: [{
      ...webhook,
      failurePolicy: "Ignore",
      namespaceSelector: { matchLabels: { "mesh-injection": "enabled" } },
    }],
  });
  const refused = await run("tag", "generate", "default", "-r", "canary");
  assert.deepEqual([refused.status, refused.out], [1, ""]);
  assert.match(refused.err, /selects the same pods as everything\/.*\n[^]*or add --skip-confirm/);
  assert.equal((await run("tag", "generate", "default", "-r", "canary", "-y")).status, 0);
  await deleteObject(client, MUTATING, { name: "everything" });
}

async function removal({ client, run }: Tagged): Promise<void> {
  const asked = await run("tag", "remove", "prod");
  assert.deepEqual([asked.status, asked.out], [1, ""]);
  assert.match(asked.err, /^1 namespace follows the revision tag "prod": tagged\n/);
  assert.match(asked.err, /Proceed\? \(y\/N\) \nAborting operation\.\n$/);
  const gone = await run("tag", "remove", "prd");
  assert.match(gone.err, /there is no revision tag "prd": no configuration.*\nDid you mean prod\?/);
  for (const tag of ["prod", "default"]) {
    const removed = await run("tag", "delete", tag, "-y");
    assert.deepEqual([removed.status, removed.err], [0, ""]);
  }
  assert.equal((await run("tag", "list")).out, "There are no revision tags.\n");
  await assert.rejects(
    getObject(client, VALIDATING, { name: "meshd-default-validator" }),
    /not found/,
  );
  assert.equal(await containersOf(client, "tagged", "b"), "web");
}
