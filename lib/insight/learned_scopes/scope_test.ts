import assert from "node:assert/strict";
import { type AskedName, mergedScopes, type Scope, sidecarOf } from "./mod.ts";

const asked = (name: string, more: Partial<AskedName> = {}): AskedName => ({
  ...{ kind: "host", name, host: name.split("/")[1]!, askedAt: "2030-01-01T00:00:00.000Z" },
  ...{ askers: 1, holders: 2, ...more },
});

const scope = (namespace: string, names: readonly AskedName[]): Scope => ({
  ...{ namespace, serviceAccount: "web", labels: { app: "web" }, names },
});

Deno.test("scopes of several daemons are one list of classes with all names", () => {
  const later = "2030-01-02T00:00:00.000Z";
  const merged = mergedScopes([
    [scope("shop", [asked("80/a.test"), asked("80/b.test")]), scope("bank", [asked("80/a.test")])],
    [scope("shop", [asked("80/b.test", { host: "", askedAt: later })])],
  ]);
  assert.deepEqual(merged, [
    scope("bank", [asked("80/a.test")]),
    scope("shop", [
      asked("80/b.test", { host: "", askedAt: later, askers: 2, holders: 4 }),
      asked("80/a.test"),
    ]),
  ]);
});

Deno.test("a Sidecar imports each host once, and nothing where no host was found", () => {
  const names = [asked("80/a.test"), asked("81/a.test"), asked("80/none", { host: "" })];
  const metadata = (name: string) => ({ name, namespace: "shop" });
  const made = (name: string, hosts: readonly string[]) => ({
    ...{ apiVersion: "networking.mesh.io/v1", kind: "Sidecar", metadata: metadata(name) },
    spec: { workloadSelector: { labels: { app: "web" } }, egress: [{ hosts }] },
  });
  assert.deepEqual(sidecarOf(scope("shop", names), 0), made("learned-1", ["*/a.test"]));
  assert.deepEqual(sidecarOf(scope("shop", names.slice(2)), 1), made("learned-2", ["~/*"]));
});
