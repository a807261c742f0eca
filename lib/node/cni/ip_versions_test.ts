import assert from "node:assert/strict";
import { hasAddress, versionsOfNode } from "./ip_versions.ts";

const LOOPBACK = "00000000000000000000000000000001 01 80 10 80       lo\n";
const LINK = "fe8000000000000000fc00fffe000001 04 40 20 80     eth0\n";
const GLOBAL = "fd000000000000000000000000000002 04 40 00 82     eth0\n";

Deno.test("a node has IPv6 when an address reaches beyond loopback and the link", () => {
  assert.ok(!hasAddress(""));
  assert.ok(!hasAddress(LOOPBACK + LINK));
  assert.ok(hasAddress(LOOPBACK + LINK + GLOBAL));
});

Deno.test("the versions of a node are those of its table, or of this process", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${root}/proc/1/net`, { recursive: true });
    await Deno.writeTextFile(`${root}/proc/1/net/if_inet6`, LOOPBACK + GLOBAL);
    assert.deepEqual(await versionsOfNode(root), { versions: [4, 6], withoutIpv6: "" });
    await Deno.writeTextFile(`${root}/proc/1/net/if_inet6`, LOOPBACK);
    const own = await Deno.readTextFile("/proc/self/net/if_inet6").catch(() => "");
    const { versions, withoutIpv6 } = await versionsOfNode(root);
    assert.deepEqual(versions, hasAddress(own) ? [4, 6] : [4]);
    assert.equal(withoutIpv6, hasAddress(own) ? "" : "the node has no address of IPv6");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
