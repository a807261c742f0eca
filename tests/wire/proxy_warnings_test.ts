/**
 * Warnings about connected proxies in a running daemon: in the log, in `/debug/syncz` and on the
 * pages.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually, makeConfigDir, startAgent, startDaemon } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { manifest } from "../support/manifest.ts";

interface Row {
  readonly proxy: string;
  readonly warning?: string;
}

Deno.test("a gateway proxy that no Gateway selects is reported until one does", async () => {
  const gateway = (app: string): string =>
    manifest("Gateway", "edge", {
      selector: { app },
      servers: [{ port: { number: 1, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
    });
  await using config = await makeConfigDir();
  await config.write("gateway.yaml", gateway("edge"));
  await using daemon = await startDaemon({ configDir: config.path });
  const dir = await Deno.makeTempDir({ prefix: "mesh-warnings-" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  stack.use(
    await startAgent({
      role: "router",
      name: "edge-1",
      namespace: "test",
      labels: { app: "edg" },
      ip: "127.0.0.14",
      xds: daemon.xds,
      envoy: await envoyPath(),
      dir,
      noWait: true,
    }),
  );
  const warning = async () =>
    (await daemon.debug<Row[]>("syncz")).find(({ proxy }) => proxy === "edge-1.test")?.warning;
  const text = await eventually("the warning", warning);
  assert.match(text, /^no Gateway selects this gateway proxy \(labels: app=edg\)/);
  assert.match(text, /MESH_METAJSON_LABELS: app=edge \(Gateway test\/edge\)/);
  await daemon.program.printed(/warn\tads\tno Gateway selects .*proxies=edge-1\.test/);
  for (const path of ["", "/proxies/edge-1.test"]) {
    const page = await fetch(`${daemon.http}/debug${path}`, { headers: { accept: "text/html" } });
    assert.match(await page.text(), /no Gateway selects this gateway proxy/);
  }

  await config.write("gateway.yaml", gateway("edg"));
  await eventually("no warning", async () => await warning() === undefined);
  assert.equal(daemon.program.output().match(/no Gateway selects/g)!.length, 1);
});
