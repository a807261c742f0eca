// @isolate: it takes long.
import assert from "node:assert/strict";
import { fromFileUrl } from "../paths.ts";
import { cniHelper, lackingCniHelper } from "./cni_helper.ts";
import { findGo } from "./go.ts";

const lacking = lackingCniHelper();

function withGo(name: string, fn: () => Promise<void>): void {
  const ignore = lacking !== undefined;
  Deno.test({ name: ignore ? `${name} [${lacking}]` : name, ignore, fn });
}

withGo("the helper's own tests pass", async () => {
  const { code, stdout, stderr } = await new Deno.Command(findGo()!, {
    args: ["test", "./..."],
    cwd: fromFileUrl(new URL("../../native/mesh-cni", import.meta.url)),
    env: { CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOWORK: "off" },
  }).output();
  const text = new TextDecoder();
  assert.equal(code, 0, text.decode(stdout) + text.decode(stderr));
});

withGo("the helper is a static program for both architectures", async () => {
  for (const [arch, machine] of [["x86_64", 62], ["aarch64", 183]] as const) {
    const bytes = await Deno.readFile(await cniHelper(arch));
    const view = new DataView(bytes.buffer);
    assert.equal(view.getUint32(0), 0x7f454c46, "it is an ELF file");
    assert.equal(view.getUint16(18, true), machine);
    const headers = Number(view.getBigUint64(32, true));
    const types = Array.from(
      { length: view.getUint16(56, true) },
      (_, at) => view.getUint32(headers + at * view.getUint16(54, true), true),
    );
    assert.ok(!types.includes(3), "it names no dynamic loader");
  }
});
