/**
 * The systemd unit of machines outside the orchestrator, checked by systemd's own tool.
 *
 * @module
 */
import assert from "node:assert/strict";
import { isInstalled } from "../tests/support/installed.ts";
import { fromFileUrl } from "./paths.ts";

const FOLDER = fromFileUrl(new URL("packaging/machine", import.meta.url));
const SCRIPT = "/usr/local/lib/mesh/mesh-start.sh";

async function verify(unit: string): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("systemd-analyze", {
    args: ["verify", "--man=no", unit],
  }).output();
  const text = new TextDecoder();
  return text.decode(stdout) + text.decode(stderr);
}

const LACKING = isInstalled("systemd-analyze") ? undefined : "needs systemd-analyze";

Deno.test({
  name: `systemd accepts the unit of a machine${LACKING ? ` [${LACKING}]` : ""}`,
  ignore: LACKING !== undefined,
  fn: async () => {
    const dir = await Deno.makeTempDir();
    try {
      const text = await Deno.readTextFile(`${FOLDER}/mesh.service`);
      assert.ok(text.includes(`ExecStart=${SCRIPT} run\n`));
      const unit = text.replaceAll(SCRIPT, `${FOLDER}/mesh-start.sh`);
      await Deno.writeTextFile(`${dir}/mesh.service`, unit);
      assert.equal(await verify(`${dir}/mesh.service`), "");
      await Deno.writeTextFile(`${dir}/wrong.service`, unit.replace("Type=exec", "Type=fork"));
      assert.match(await verify(`${dir}/wrong.service`), /Failed to parse service type/);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
