/**
 * Commands of `meshctl` that ask a running daemon: explain, history, rehearse.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { NO_CONFIGURED, runProgram } from "../../lib/kit/cli/mod.ts";
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { connectJudging } from "../support/judging_client.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";

const OWN = serviceEntry("own", ["own.test"], { number: 80, protocol: "HTTP" }, [
  endpoint(1, { version: "v1" }),
]).replace("spec:", "spec:\n  addresses: [10.9.0.1]");
const ROUTE = manifest("VirtualService", "own", {
  hosts: ["own.test"],
  http: [to("own.test", undefined, { timeout: "7s" })],
});

async function meshctl(...args: string[]): Promise<{ out: string; err: string; status: number }> {
  let [out, err] = ["", ""];
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const signal = new AbortController().signal;
  const status = await runProgram(MESHCTL, args, { io, signal, configured: NO_CONFIGURED });
  return { out, err, status };
}
/** A Service of the orchestrator, which a daemon over files does not read. */
const SERVICE = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: test}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
`;
const REFUSES = manifest("VirtualService", "own", {
  hosts: ["own.test"],
  http: [{ directResponse: { status: 418 } }],
});

Deno.test("meshctl asks a daemon: explanations, history, and the effect of an upgrade", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", OWN);
  await config.write("manifests.yaml", SERVICE);
  await using daemon = await startDaemon({ configDir: config.path });
  await using proxy = connectJudging(daemon.xds, { name: "a", ip: "10.0.0.9" });
  await eventually("clusters", () => Promise.resolve(proxy.held.has("outbound|80||own.test")));
  const at = ["--daemon", daemon.http];
  const ask = () => meshctl("explain", "request", ...at, "--from", "a.test", "--to", "own.test/x");
  // Until the proxy has accepted everything, the answer is not known.
  await eventually("a known answer", async () => (await ask()).status !== 2);
  const asked = await ask();
  assert.match(asked.out, /^ALLOWED to own\.test:80/m, asked.err);
  const resource = ["explain", "resource", "a.test", "cds", "outbound|80||own.test"];
  assert.match((await meshctl(...resource, ...at)).out, /ServiceEntry\/test\/own \(/);
  const gone = await meshctl("explain", "request", ...at, "--from", "b.test", "--to", "own.test");
  assert.equal(gone.status, 2);
  assert.match(gone.err, /no proxy b\.test is connected here; near it: a\.test/);

  const compare = ["rehearse", "--config-dir", config.path, ...at, "--fail"];
  const same = await meshctl(...compare);
  assert.deepEqual(
    [same.out, same.status],
    ["0 of 1 proxies would be served something else\n", 0],
    same.err,
  );
  await using other = await makeConfigDir();
  await other.write("a.yaml", documents(OWN, ROUTE));
  const different = await meshctl("rehearse", "--config-dir", other.path, ...at, "--fail");
  assert.match(different.out, /^a\.test:\n {2}RouteConfiguration 80 changed$/m);
  assert.equal(different.status, 79);

  await config.write("a.yaml", documents(OWN, ROUTE));
  const list = () => meshctl("history", ...at);
  await eventually("the edit", async () => (await list()).out.includes("VirtualService test/own"));
  const revisions = async () =>
    [...(await list()).out.matchAll(/^(\d+) /gm)].map(([, one]) => one!);
  const [before] = await revisions();
  await config.write("a.yaml", documents(OWN, ROUTE.replace("7s", "8s")));
  await eventually("the second edit", async () => (await revisions())[0] !== before);
  const [newest] = await revisions();
  const between = ["--proxy", "a.test", "--since", before!, "--until", newest!];
  const shown = await meshctl("history", ...at, ...between);
  assert.match(shown.out, /^rds 80 changed\n.*8s/m, shown.err);
  assert.equal((await meshctl(...compare)).status, 0);

  await config.write("a.yaml", documents(OWN, REFUSES));
  const request = ["--from", "a.test", "--to", "own.test/x"];
  const turns = async () => (await meshctl("history", ...request, ...at)).out;
  await eventually("the third edit", async () => (await turns()).includes("DENIED"));
  assert.match(
    await turns(),
    /^revision \d+, \S+: ALLOWED to own\.test:80.*\nrevision \d+, \S+: DENIED: 418 [^\n]*\n {4}edited: VirtualService test\/own\n$/,
  );
});
