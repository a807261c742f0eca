import assert from "node:assert/strict";
import { configureLogging } from "../../kit/log/mod.ts";
import { createClient } from "../../kit/orch/mod.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import { defaultInjectionConfig } from "../inject/mod.ts";
import { tellMissedPods } from "./mod.ts";

interface Objects {
  failurePolicy: string;
  pods: readonly unknown[];
}

const NAMESPACES = [
  { metadata: { name: "shop", labels: { "mesh-injection": "enabled" } } },
  { metadata: { name: "other" } },
];

function pod(name: string, more: { namespace?: string; meta?: unknown; spec?: unknown } = {}) {
  const { namespace = "shop", meta = {}, spec = {} } = more;
  return {
    metadata: { name, namespace, uid: `uid-${name}`, ...meta as Record<string, unknown> },
    spec: { containers: [{ name: "app" }], ...spec as Record<string, unknown> },
    status: { phase: "Running" },
  };
}

const PODS: readonly unknown[] = [
  pod("missed"),
  pod("elsewhere", { namespace: "other" }),
  pod("refuses", { meta: { labels: { "sidecar.mesh.io/inject": "false" } } }),
  pod("host", { spec: { hostNetwork: true } }),
  pod("injected", { meta: { annotations: { "sidecar.mesh.io/status": "{}" } } }),
  pod("leaving", { meta: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
  { ...pod("ended"), status: { phase: "Succeeded" } },
];

/** An API server with lists, which counts those of configurations (`asked`) and of pods (`looks`). */
function api(objects: Objects) {
  const counts = { asked: 0, looks: 0 };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const plural = new URL(request.url).pathname.split("/").at(-1);
    const list = (items: readonly unknown[]) =>
      Response.json({ metadata: { resourceVersion: "5" }, items });
    if (plural === "namespaces") return list(NAMESPACES);
    if (plural === "pods") {
      counts.looks++;
      return list(objects.pods);
    }
    counts.asked++;
    const webhook = {
      name: "namespace.sidecar-injector.mesh.io",
      failurePolicy: objects.failurePolicy,
      namespaceSelector: { matchLabels: { "mesh-injection": "enabled" } },
    };
    const configuration = (name: string) => ({ metadata: { name }, webhooks: [webhook] });
    return list([configuration("own"), configuration("foreign")]);
  });
  const access = {
    server: `http://127.0.0.1:${server.addr.port}`,
    name: "lists",
    namespace: "",
    tls: () => Promise.resolve({ ca: "" }),
    proxyUrl: "",
  };
  return { server, access, counts };
}

/** Runs it, and returns the warnings after a condition. */
async function warnings(
  objects: Objects,
  until: (state: { asked: number; looks: number; lines: string[] }) => boolean | Promise<boolean>,
): Promise<string[]> {
  const log = await Deno.makeTempFile();
  const { server, access, counts } = api(objects);
  const endLogging = configureLogging({ targets: [log] });
  const lines = async () =>
    (await Deno.readTextFile(log)).split("\n").filter((line) => line.includes("outside the mesh"));
  try {
    using client = createClient(access, { rate: { qps: 0, burst: 0 } });
    await using _ = tellMissedPods({
      client,
      revision: "default",
      mutatingName: "own",
      rules: defaultInjectionConfig,
      everyMs: 1,
    });
    await eventually("the condition", async () => {
      return await until({ ...counts, lines: await lines() });
    });
    return await lines();
  } finally {
    endLogging();
    await server.shutdown();
    await Deno.remove(log);
  }
}

Deno.test("a pod that the webhook should have seen is named once", async () => {
  const found = await warnings({ failurePolicy: "Ignore", pods: PODS }, ({ looks }) => looks > 3);
  assert.equal(found.length, 1, found.join("\n"));
  assert.match(found[0]!, /\bshop\b.*\bmissed\b|\bmissed\b.*\bshop\b/);
});

Deno.test("many pods are counted, and a new one is named", async () => {
  const objects = {
    failurePolicy: "Ignore",
    pods: Array.from({ length: 25 }, (_, i) => pod(`p${i}`)),
  };
  const found = await warnings(objects, ({ lines }) => {
    if (lines.some((line) => line.includes("later"))) return true;
    if (lines.length === 21) objects.pods = [...objects.pods, pod("later")];
    return false;
  });
  assert.equal(found.length, 22, found.join("\n"));
  assert.match(found[20]!, /further pods .*5/);
});

Deno.test("with the policy Fail no pods are listed", async () => {
  const objects = { failurePolicy: "Fail", pods: PODS };
  const found = await warnings(objects, ({ asked, looks }) => {
    assert.equal(looks, 0);
    return asked > 3;
  });
  assert.deepEqual(found, []);
});
