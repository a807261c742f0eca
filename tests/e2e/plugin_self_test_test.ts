/** The self-test of the network plugin with the kernel's packet filter. */
import assert from "node:assert/strict";
import { expose } from "../../lib/kit/metrics/mod.ts";
import { selfTest } from "../../lib/node/cni/mod.ts";
import { cniHelper, lackingCniHelper } from "../../scripts/cluster/cni_helper.ts";
import { missing } from "./redirect/network.ts";

const LACKING = missing() ?? lackingCniHelper();
const WITHOUT_IPV6 = LACKING ?? (await kernelHasIpv6() ? undefined : "needs IPv6");

function kernelTest(name: string, fn: () => Promise<void>, lacking = LACKING): void {
  const ignore = lacking !== undefined;
  Deno.test({ name: ignore ? `${name} [${lacking}]` : name, ignore, fn });
}

/** Reports if new network namespaces can have addresses of IPv6. */
async function kernelHasIpv6(): Promise<boolean> {
  return await Deno.stat("/proc/self/net/if_inet6").then(() => true, () => false);
}

async function verified(family: string): Promise<string | undefined> {
  const line = new RegExp(`^mesh_cni_redirection_verified{family="${family}"} (\\d)$`, "m");
  return line.exec((await expose()).body)?.[1];
}

const { signal } = new AbortController();

kernelTest("the self-test shows that connections out and in reach the redirect ports", async () => {
  assert.deepEqual(await selfTest({ signal, helper: await cniHelper() }), { ok: true, reason: "" });
  assert.equal(await verified("IPv4"), "1");
});

kernelTest("the self-test shows it for IPv6, too", async () => {
  const helper = await cniHelper();
  const result = await selfTest({ signal, helper, versions: [4, 6] });
  assert.deepEqual(result, { ok: true, reason: "" });
  assert.deepEqual([await verified("IPv4"), await verified("IPv6")], ["1", "1"]);
}, WITHOUT_IPV6);

kernelTest("the self-test names the version of IP that is not redirected", async () => {
  await using helper = await helperWithout("6");
  const { ok, reason } = await selfTest({ signal, helper: helper.path, versions: [4, 6] });
  assert.ok(!ok);
  assert.match(reason, /^IPv6: a connection to \[2001:db8::1\]:80 did not reach port 15001/);
  assert.deepEqual([await verified("IPv4"), await verified("IPv6")], ["1", "0"]);
}, WITHOUT_IPV6);

kernelTest("the self-test says why it fails", async () => {
  // Another program listens at no redirect port.
  const { ok, reason } = await selfTest({ signal, helper: "/bin/false" });
  assert.ok(!ok);
  assert.match(reason, /^IPv4: .*network namespace/);
  assert.equal(await verified("IPv4"), "0");
});

kernelTest("processes of the self-test end with the agent", async () => {
  const helper = await cniHelper();
  for (const part of [["hold"], ["listen", "4"]]) {
    const child = new Deno.Command("unshare", {
      args: ["--net", "--", helper, "self-test", ...part],
      stdin: "piped",
      stdout: "null",
      signal: AbortSignal.timeout(30_000),
    }).spawn();
    await child.stdin.close();
    assert.deepEqual((await child.status).code, 0, part.join(" "));
  }
});

/** The helper, which listens for the other version of IP in place of this one. */
async function helperWithout(
  version: "4" | "6",
): Promise<AsyncDisposable & { readonly path: string }> {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/helper`;
  const script = `#!/bin/sh
[ "$2 $3" = "listen ${version}" ] && set self-test listen ${version === "6" ? "4" : "6"}
exec ${await cniHelper()} "$@"
`;
  await Deno.writeTextFile(path, script, { mode: 0o755 });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
}
