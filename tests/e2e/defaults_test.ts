/**
 * Defaults of services, by traffic: visibility and auto-allocated addresses.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually, freePorts, startBackend } from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, type Spec, to } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld, type TestProxy } from "../support/world.ts";

Deno.test("services are exported as the mesh configuration says, and reached at auto-allocated addresses", async (t) => {
  await using a = startBackend("a");
  await using b = startBackend("b");
  const [port = 0] = freePorts(1);
  const meshConfig = await Deno.makeTempFile({ suffix: ".yaml" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(meshConfig));
  const defaults = (exportTo: string): Promise<void> =>
    Deno.writeTextFile(
      meshConfig,
      [
        "outboundTrafficPolicy: {mode: REGISTRY_ONLY}",
        ...["Service", "VirtualService", "DestinationRule"]
          .map((kind) => `default${kind}ExportTo: ["${exportTo}"]`),
      ].join("\n"),
    );
  await defaults(".");
  const service = (name: string, namespace: string, to: number, more: Spec = {}): string =>
    manifest("ServiceEntry", name, {
      hosts: [`${name}.test`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: port, protocol: "HTTP", name: "main" }],
      endpoints: [endpoint(to, { version: name })],
      ...more,
    }, namespace);
  const world = stack.use(
    await startWorld({
      files: {
        "all.yaml": documents(
          sidecars([{ number: port, protocol: "HTTP", hosts: ["*/*"] }]),
          service("own", "test", a.port),
          service("theirs", "elsewhere", a.port),
          service("offered", "elsewhere", a.port, { exportTo: ["*"] }),
          // Also in the other namespace: it redirects requests for the service of its namespace.
          manifest("VirtualService", "moved", {
            hosts: ["own.test"],
            http: [to("spare.test")],
          }, "elsewhere"),
          service("spare", "test", b.port),
          service("unallocated", "test", b.port).replace(
            /^metadata:$/m,
            'metadata:\n  labels: {networking.mesh.io/enable-autoallocate-ip: "false"}',
          ),
        ),
      },
      daemon: {
        args: [`--meshConfig=${meshConfig}`],
        env: { PILOT_ENABLE_IP_AUTOALLOCATE: "true" },
      },
    }),
  );
  const statusOf = async ({ address }: TestProxy, host: string): Promise<number> =>
    (await call(`http://${address}:${port}/`, { host })).status;
  const backendOf = async ({ address }: TestProxy, host: string): Promise<string | undefined> =>
    (await call(`http://${address}:${port}/`, { host })).echo?.backend;
  const becomes = async (host: string, status: number): Promise<void> => {
    for (const testProxy of world.testProxies) {
      await eventually(
        `${host} to be answered ${status}`,
        async () => await statusOf(testProxy, host) === status,
      );
    }
  };

  await t.step("a service without exportTo is visible in its namespace only", async () => {
    await becomes("own.test", 200);
    await becomes("offered.test", 200);
    for (const testProxy of world.testProxies) {
      assert.equal(await statusOf(testProxy, "theirs.test"), 502);
      assert.equal(await backendOf(testProxy, "own.test"), "a");
    }
  });
  await t.step("the mesh configuration makes it visible everywhere", async () => {
    await defaults("*");
    await becomes("theirs.test", 200);
    for (const testProxy of world.testProxies) {
      await eventually("the route", async () => await backendOf(testProxy, "own.test") === "b");
    }
    await defaults(".");
    await becomes("theirs.test", 502);
  });
  await t.step("a service is reached at its auto-allocated address", async () => {
    const proxy = `sidecar-${world.testProxies[0]!.transport}.test`;
    const dump = await fetch(`${world.daemon.http}/debug/config_dump?proxyID=${proxy}`);
    const text = await dump.text();
    const domains = /"domains": \[\s*"spare\.test"[^\]]*/.exec(text)?.[0] ?? "";
    const others = /"domains": \[\s*"unallocated\.test"[^\]]*/.exec(text)?.[0] ?? "";
    assert.match(others, /unallocated\.test/);
    assert.doesNotMatch(others, /240\.240/);
    const given = /\b240\.240\.\d+\.\d+\b/.exec(domains)?.[0];
    assert.ok(given !== undefined, domains);
    for (const { address } of world.testProxies) {
      const answer = await call(`http://${address}:${port}/`, { host: given });
      assert.equal(answer.echo?.backend, "b");
    }
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
});
