/**
 * Inbound and outbound traffic that the kernel redirects to a real Envoy, by REDIRECT and TPROXY,
 * in network namespaces.
 *
 * @module
 */
import assert from "node:assert/strict";
import { envoyPath } from "../../scripts/tools.ts";
import type { Asked } from "./redirect/ask.ts";
import {
  type Capture,
  ELSEWHERE,
  makeNetwork,
  missing,
  type Network,
  PROXY_GROUP,
  WORKLOAD,
} from "./redirect/network.ts";
import { asks, curl, program, start, stepWith } from "./redirect/programs.ts";
import { APPLICATION, FAR, VIRTUAL } from "./redirect/workload.ts";

const LACKING = missing();

/** Source address of the proxy's own calls to the workload, if it does not use the client's. */
const PROXYS_OWN = "127.0.0.6";

async function outbound({ workload }: Network): Promise<void> {
  const get = (url: string, host: string): Promise<Asked> => asks(workload, "http", url, host);
  const virtual = await get(`http://${VIRTUAL.http}/`, "far.test");
  assert.deepEqual(virtual, { status: 200, from: "far", seen: WORKLOAD });
  const routed = await get(`http://${VIRTUAL.http}/teapot`, "far.test");
  assert.equal(routed.status, 418, "a rule of the mesh applies");
  const bytes = await asks(workload, "tcp", VIRTUAL.tcp, "7000");
  assert.equal(bytes.from, `far ${WORKLOAD}`);
  const unknown = await get(`http://${ELSEWHERE}:${FAR.unknown}/`, "nobody.test");
  assert.deepEqual(unknown, { status: 200, from: "far", seen: WORKLOAD }, "where it was meant to");
}

async function inbound({ elsewhere }: Network, seen: string): Promise<void> {
  const get = (path: string, port: number): Promise<Asked> =>
    asks(elsewhere, "http", `http://${WORKLOAD}:${port}${path}`, "app.test");
  assert.deepEqual(await get("/", APPLICATION.http), { status: 200, from: "app", seen });
  assert.equal((await get("/secret", APPLICATION.http)).status, 403, "a policy applies");
  const bytes = await asks(elsewhere, "tcp", WORKLOAD, `${APPLICATION.tcp}`);
  assert.equal(bytes.from, `app ${seen}`);
  const undeclared = await get("/", APPLICATION.undeclared);
  assert.deepEqual(undeclared, { status: 200, from: "app", seen });
}

async function byCurl({ workload, elsewhere }: Network): Promise<void> {
  const far = (path: string) =>
    curl(workload, "-H", "Host: far.test", `http://${VIRTUAL.http}${path}`);
  const { status, headers } = await far("/");
  assert.deepEqual([status, headers.get("x-backend")], [200, "far"]);
  assert.equal((await far("/teapot")).status, 418, "a rule of the mesh applies");
  const application = (path: string) =>
    curl(elsewhere, "-H", "Host: app.test", `http://${WORKLOAD}:${APPLICATION.http}${path}`);
  assert.equal((await application("/")).headers.get("x-backend"), "app");
  assert.equal((await application("/secret")).status, 403, "a policy applies");
}

const SEEN: Readonly<Record<Capture, string>> = { REDIRECT: PROXYS_OWN, TPROXY: ELSEWHERE };

for (const capture of ["REDIRECT", "TPROXY"] as const) {
  const what = capture === "TPROXY" ? ", which sees its clients' addresses" : "";
  Deno.test({
    name: `traffic that ${capture} captures, of a workload and to it${what}` +
      (LACKING === undefined ? "" : ` [${LACKING}]`),
    ignore: LACKING !== undefined,
    fn: async (t) => {
      await envoyPath();
      const dir = await Deno.makeTempDir({ prefix: "mesh-redirect-" });
      await using stack = new AsyncDisposableStack();
      stack.defer(() => Deno.remove(dir, { recursive: true }));
      const network = stack.use(await makeNetwork(capture));
      const { http, tcp, undeclared } = APPLICATION;
      const listeners = (...of: [string, number][]): string[] =>
        of.map(([kind, port]) => `${kind}:0.0.0.0:${port}`);
      const application = listeners(["http", http], ["tcp", tcp], ["http", undeclared]);
      const far = listeners(["http", FAR.http], ["tcp", FAR.tcp], ["http", FAR.unknown]);
      stack.use(await start(network.workload, [program("serve"), "app", ...application]));
      stack.use(await start(network.elsewhere, [program("serve"), "far", ...far]));
      stack.use(await start(network.workload, [program("workload"), capture, dir], PROXY_GROUP));
      await t.step("outbound", () => outbound(network));
      await t.step(stepWith("curl", "outbound and inbound", () => byCurl(network)));
      await t.step("inbound", () => inbound(network, SEEN[capture]));
    },
  });
}
