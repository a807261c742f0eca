/**
 * What-if answers of a daemon equal what a proxy is sent after the edit, also for the mesh
 * configuration.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Prediction } from "../../lib/insight/whatif/mod.ts";
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { connectJudging } from "../support/judging_client.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";

const HTTP = { number: 80, protocol: "HTTP" };
const OWN = serviceEntry("own", ["own.test"], HTTP, [endpoint(1)]);
const FAR = serviceEntry("far", ["far.test"], HTTP, [endpoint(2)])
  .replace("namespace: test", "namespace: elsewhere");
const LATE = serviceEntry("late", ["late.test"], { number: 9000, protocol: "TCP" }, [endpoint(3)]);
const ROUTE = manifest("VirtualService", "own", {
  hosts: ["own.test"],
  http: [to("own.test", undefined, { timeout: "7s" })],
});
const MESH = 'defaultServiceExportTo: ["."]\n';

/** Names of resources that come (`+`) and go (`-`). */
function comings({ changes }: Prediction): string[] {
  return changes.flatMap(({ name, change }) =>
    change === "added" ? [`+${name}`] : change === "removed" ? [`-${name}`] : []
  ).sort();
}

Deno.test("a daemon predicts what its files would do, the mesh configuration's too", async () => {
  await using config = await makeConfigDir();
  await using settings = await makeConfigDir();
  assert.match(FAR, /namespace: elsewhere/);
  await config.write("a.yaml", documents(OWN, FAR));
  await settings.write("mesh", "{}\n");
  await using daemon = await startDaemon({
    configDir: config.path,
    args: [`--meshConfig=${settings.path}/mesh`],
  });
  await using proxy = connectJudging(daemon.xds, { name: "a", ip: "10.0.0.9" });
  await eventually(
    "clusters and listeners",
    () =>
      Promise.resolve(proxy.held.has("outbound|80||far.test") && proxy.held.has("virtualInbound")),
  );
  const before = new Set(proxy.held);
  const ask = async (body: string): Promise<Prediction> => {
    const answer = await fetch(`${daemon.http}/debug/whatif`, { method: "POST", body });
    assert.equal(answer.status, 200, "answered");
    return await answer.json() as Prediction;
  };
  const prediction = await ask(documents(LATE, ROUTE, `kind: MeshConfig\n${MESH}`));
  assert.deepEqual(prediction.edits.map(({ object, change }) => `${object} ${change}`), [
    "ServiceEntry/test/late added",
    "VirtualService/test/own added",
    "MeshConfig changed",
  ]);
  // The proxy asks for clusters and listeners alone.
  const predicted = comings(prediction).filter((name) =>
    before.has(name.slice(1)) || /^.outbound\||^.0\.0\.0\.0_/.test(name)
  );
  assert.ok(predicted.includes("-outbound|80||far.test"), `${predicted}`);
  assert.ok(predicted.includes("+outbound|9000||late.test"), `${predicted}`);
  assert.deepEqual(new Set(proxy.held), before, "nothing was applied");
  await settings.write("mesh", MESH);
  await config.write("b.yaml", documents(LATE, ROUTE));
  const differences = () =>
    [
      ...[...proxy.held].filter((name) => !before.has(name)).map((name) => `+${name}`),
      ...[...before].filter((name) => !proxy.held.has(name)).map((name) => `-${name}`),
    ].sort();
  await eventually(
    `${predicted}`,
    () => Promise.resolve(`${differences()}` === `${[...new Set(predicted)]}`),
  );
});
