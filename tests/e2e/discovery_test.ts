/**
 * Discovery selectors, by reachability: selectors, labels and the mesh configuration change while
 * proxies run.
 *
 * @module
 */
import { call, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { documents, endpoint, manifest, NAMESPACE, type Spec } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld } from "../support/world.ts";

function namespace(name: string, labels: Spec): string {
  return toYaml({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
}

function namespaces(other: Spec): string {
  return documents(namespace(NAMESPACE, { watch: "mesh" }), namespace("other", other));
}

Deno.test("discovery selectors act on namespaces while proxies run", async (t) => {
  await using backend = startBackend("a");
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-discovery-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const meshConfig = `${dir}/mesh.yaml`;
  const select = (selectors: readonly Spec[]): Promise<void> =>
    Deno.writeTextFile(meshConfig, toYaml({ discoverySelectors: selectors }));
  await select([{ matchLabels: { watch: "mesh" } }]);
  const port = freePort();
  const service = (name: string, where: string): string =>
    manifest("ServiceEntry", name, {
      hosts: [`${name}.test`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: port, protocol: "HTTP", name: "main" }],
      endpoints: [endpoint(backend.port)],
    }, where);
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP", hosts: ["*/*"] }], {
        outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
      }),
      "services.yaml": documents(service("mine", NAMESPACE), service("theirs", "other")),
      "namespaces.yaml": namespaces({}),
    },
    daemon: { args: [`--meshConfig=${meshConfig}`] },
  });
  const answered = async (host: string, wanted: number): Promise<void> => {
    for (const { address, transport } of world.testProxies) {
      await eventually(`${host} to be answered ${wanted} over ${transport}`, async () => {
        const { status } = await call(`http://${address}:${port}/`, { host });
        return status === wanted;
      });
    }
  };
  await t.step("from the start", async () => {
    await answered("mine.test", 200);
    await answered("theirs.test", 502);
  });
  await t.step("a namespace gets the label, and loses it", async () => {
    await world.config.write("namespaces.yaml", namespaces({ watch: "mesh" }));
    await answered("theirs.test", 200);
    await world.config.write("namespaces.yaml", namespaces({ watch: "no" }));
    await answered("theirs.test", 502);
    await answered("mine.test", 200);
  });
  await t.step("other selectors, and none", async () => {
    const watched = (value: string) => ({ matchLabels: { watch: value } });
    await select([watched("mesh"), watched("no")]);
    await answered("theirs.test", 200);
    await select([watched("mesh")]);
    await answered("theirs.test", 502);
    await select([]);
    await answered("theirs.test", 200);
    await answered("mine.test", 200);
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
});
