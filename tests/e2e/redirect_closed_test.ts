/**
 * Redirected traffic of a closed mesh: workloads that listen on loopback only, one egress proxy for
 * undeclared destinations, and a headless service.
 *
 * @module
 */
import assert from "node:assert/strict";
import { envoyPath } from "../../scripts/tools.ts";
import {
  BESIDE,
  ELSEWHERE,
  makeNetwork,
  missing,
  type Network,
  PROXY_GROUP,
  WORKLOAD,
} from "./redirect/network.ts";
import { asks, program, start } from "./redirect/programs.ts";
import { APPLICATION, FAR, VIRTUAL } from "./redirect/workload.ts";

const LACKING = missing();

async function outbound({ workload }: Network): Promise<void> {
  const nodes = (address: string) => asks(workload, "tcp", address, `${FAR.nodes}`);
  assert.equal((await nodes(ELSEWHERE)).from, `first ${WORKLOAD}`);
  assert.equal((await nodes(BESIDE)).from, `second ${WORKLOAD}`, "the instance that was called");
  const declared = await asks(workload, "http", `http://${VIRTUAL.http}/`, "far.test");
  assert.equal(declared.from, "first");
  const unknown = await asks(workload, "tcp", ELSEWHERE, `${FAR.unknown}`);
  assert.equal(unknown.from, `second ${WORKLOAD}`, "what nobody declared goes to the way out");
}

async function inbound({ elsewhere }: Network): Promise<void> {
  const get = (path: string) =>
    asks(elsewhere, "http", `http://${WORKLOAD}:${APPLICATION.http}${path}`, "app.test");
  const bytes = await asks(elsewhere, "tcp", WORKLOAD, `${APPLICATION.tcp}`);
  assert.equal(bytes.from, "app 127.0.0.1", "the port that the Sidecar names");
  assert.equal((await get("/")).from, "app", "the service's port beside it, on loopback");
  assert.equal((await get("/secret")).status, 403, "a policy applies there");
}

Deno.test({
  name: "redirected traffic of a workload on loopback, with one way out" +
    (LACKING === undefined ? "" : ` [${LACKING}]`),
  ignore: LACKING !== undefined,
  fn: async (t) => {
    await envoyPath();
    const dir = await Deno.makeTempDir({ prefix: "mesh-redirect-" });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const network = stack.use(await makeNetwork("REDIRECT"));
    const application = [`http:127.0.0.1:${APPLICATION.http}`, `tcp:127.0.0.1:${APPLICATION.tcp}`];
    const first = [
      `http:${ELSEWHERE}:${FAR.http}`,
      `tcp:${ELSEWHERE}:${FAR.nodes}`,
      `tcp:${ELSEWHERE}:${FAR.unknown}`,
    ];
    const second = [`tcp:${BESIDE}:${FAR.nodes}`, `tcp:${BESIDE}:${FAR.wayOut}`];
    stack.use(await start(network.workload, [program("serve"), "app", ...application]));
    stack.use(await start(network.elsewhere, [program("serve"), "first", ...first]));
    stack.use(await start(network.elsewhere, [program("serve"), "second", ...second]));
    const workload = [program("workload"), "REDIRECT", dir, "closed"];
    stack.use(await start(network.workload, workload, PROXY_GROUP));
    await t.step("outbound", () => outbound(network));
    await t.step("inbound", () => inbound(network));
  },
});
