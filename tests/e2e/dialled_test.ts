/**
 * HTTP of a workload whose connections are captured: on ports whose protocol is detected the address
 * that it dialled decides, elsewhere the host that it names, with or without a dot at the end.
 *
 * @module
 */
import assert from "node:assert/strict";
import { envoyPath } from "../../scripts/tools.ts";
import { BACKEND, DIALLED, NODES } from "./redirect/dialled.ts";
import { BESIDE, ELSEWHERE, makeNetwork, missing, missingTool } from "./redirect/network.ts";
import { PROXY_GROUP } from "./redirect/network.ts";
import { curl, program, start } from "./redirect/programs.ts";

const LACKING = missing() ?? missingTool("curl");

/** Status and backend of a request; `host` is what the backend saw. */
interface Answer {
  readonly status: number;
  readonly from: string | undefined;
  readonly host: string | undefined;
}

Deno.test({
  name: "captured HTTP goes to the service that is dialled, or named with or without a final dot" +
    (LACKING === undefined ? "" : ` [${LACKING}]`),
  ignore: LACKING !== undefined,
  fn: async (t) => {
    await envoyPath();
    const dir = await Deno.makeTempDir({ prefix: "mesh-dialled-" });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const network = stack.use(await makeNetwork("REDIRECT"));
    for (const [name, address] of [["far", ELSEWHERE], ["beside", BESIDE]] as const) {
      const ports = [BACKEND, NODES].map((port) => `http:${address}:${port}`);
      stack.use(await start(network.elsewhere, [program("serve"), name, ...ports]));
    }
    const workload = [program("workload"), "REDIRECT", dir, "dialled"];
    stack.use(await start(network.workload, workload, PROXY_GROUP));
    const get = async (at: string, host: string, path = "/"): Promise<Answer> => {
      const url = `http://${at}${path}`;
      const { status, headers } = await curl(network.workload, "-H", `Host: ${host}`, url);
      return { status, from: headers.get("x-backend"), host: headers.get("x-host") };
    };

    await t.step(
      "a host with a final dot is the host, and is sent on as it is written",
      async () => {
        const { declared } = DIALLED;
        const far = { status: 200, from: "far", host: "declared.test" };
        assert.deepEqual(await get(declared, "declared.test"), far);
        const absolute = { ...far, host: "declared.test." };
        assert.deepEqual(await get(declared, "declared.test."), absolute);
        assert.equal((await get(declared, "declared.test.", "/ruled")).status, 418);
        assert.equal((await get(declared, "declared.test.:80", "/ruled")).status, 418);
      },
    );

    await t.step("a detected port is the dialled service's, whatever the host says", async () => {
      for (const host of ["detected.test", "nobody.test", "declared.test"]) {
        const answer = await get(DIALLED.detected, host);
        assert.deepEqual(answer, { status: 200, from: "beside", host });
        assert.equal((await get(DIALLED.detected, host, "/ruled")).status, 451, host);
      }
    });

    await t.step("a detected port of instances is that of the dialled instance", async () => {
      for (const [address, from] of [[ELSEWHERE, "far"], [BESIDE, "beside"]] as const) {
        const at = `${address}:${NODES}`;
        const host = "nobody.test";
        assert.deepEqual(await get(at, host), { status: 200, from, host });
        assert.equal((await get(at, host, "/ruled")).status, 429, "by its rule");
      }
    });
  },
});
