/**
 * Analysis in a running daemon: messages follow the files, in the log, the metrics and the debug
 * views.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { manifest, serviceEntry, to } from "../support/manifest.ts";

interface Shown {
  readonly code: string;
  readonly origin: string;
  readonly reference: string;
}

Deno.test("analysis: a route to nothing is reported once, and no more when it is repaired", async () => {
  await using config = await makeConfigDir();
  const routes = manifest("VirtualService", "r", { hosts: ["r.test"], http: [to("a.test")] });
  await config.write("routes.yaml", routes);
  await using daemon = await startDaemon({ configDir: config.path });
  const shown = () => daemon.debug<Shown[]>("analysis");
  const line = routes.split("\n").findIndex((text) => text.includes("host: a.test")) + 1;
  const [message] = await eventually("the message", async () => {
    const found = await shown();
    return found.length > 0 && found[0]!.reference !== "routes.yaml:1" && found;
  });
  assert.equal(message!.code, "MSH0101");
  assert.equal(message!.origin, "VirtualService test/r");
  assert.equal(message!.reference, `routes.yaml:${line}`);
  assert.deepEqual(await daemon.debug("analysis?namespace=other"), []);
  await daemon.program.printed(
    new RegExp(`warn\\tanalysis\\tVirtualService/test/r: .*routes.yaml:${line}:.*\\[MSH0101\\]`),
  );
  const metrics = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  assert.match(metrics, /^mesh_analysis_messages\{code="MSH0101",level="Error"\} 1$/m);

  await config.write(
    "service.yaml",
    serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, []),
  );
  await eventually("no message", async () => (await shown()).length === 0);
  assert.equal(daemon.program.output().match(/\[MSH0101\]/g)!.length, 1);
});
