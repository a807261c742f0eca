/** The self-test of the network plugin with the kernel's packet filter. */
import assert from "node:assert/strict";
import { expose } from "../../lib/kit/metrics/mod.ts";
import { selfTest } from "../../lib/node/cni/mod.ts";
import { cniHelper, lackingCniHelper } from "../../scripts/cluster/cni_helper.ts";
import { missing } from "./redirect/network.ts";

const LACKING = missing() ?? lackingCniHelper();

function kernelTest(name: string, fn: () => Promise<void>): void {
  const ignore = LACKING !== undefined;
  Deno.test({ name: ignore ? `${name} [${LACKING}]` : name, ignore, fn });
}

async function verified(): Promise<string | undefined> {
  return /^mesh_cni_redirection_verified (\d)$/m.exec((await expose()).body)?.[1];
}

kernelTest("the self-test shows that connections out and in reach the redirect ports", async () => {
  const { signal } = new AbortController();
  assert.deepEqual(await selfTest({ signal, helper: await cniHelper() }), { ok: true, reason: "" });
  assert.equal(await verified(), "1");
});

kernelTest("the self-test says why it fails", async () => {
  const { signal } = new AbortController();
  // Another program listens at no redirect port.
  const { ok, reason } = await selfTest({ signal, helper: "/bin/false" });
  assert.ok(!ok);
  assert.match(reason, /network namespace/);
  assert.equal(await verified(), "0");
});
