/** The commands of docs/identity.md make an authority that the daemon takes. */
import assert from "node:assert/strict";
import { startPlugged } from "../lib/cluster/ca/mod.ts";
import { isOnPath } from "./paths.ts";

const missing = ["openssl", "bash"].filter((name) => !isOnPath(name));
const suffix = missing.length > 0 ? ` [needs ${missing.join(", ")}]` : "";

/** The commands of the section, without those about a cluster. */
async function commands(): Promise<string> {
  const page = await Deno.readTextFile(new URL("../docs/identity.md", import.meta.url));
  const block = /^## In production$[^]*?```sh\n([^]*?)```/m.exec(page);
  assert.ok(block);
  return block[1]!.slice(0, block[1]!.indexOf("kubectl "));
}

Deno.test({
  name: `authority of one's own: the daemon takes what the commands of the page make${suffix}`,
  ignore: missing.length > 0,
  fn: async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-identity-" });
    try {
      const { success, stderr } = await new Deno.Command("bash", {
        args: ["-euc", await commands()],
        cwd: dir,
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      // The page gives the cluster these files and not the key of the root.
      await Deno.remove(`${dir}/root-key.pem`);
      const source = await startPlugged({ dir, clock: () => Date.now() });
      assert.ok(source);
      await using plugged = source;
      const { issuer, bundle, intermediates } = plugged.current();
      assert.match(issuer.certificate.pem, /BEGIN CERTIFICATE/);
      const chain = await Deno.readTextFile(`${dir}/cert-chain.pem`);
      assert.ok(chain.startsWith(issuer.certificate.pem.trim()));
      assert.equal(bundle.roots.length, 1);
      assert.equal(intermediates.length, 1);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
