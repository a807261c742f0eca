import assert from "node:assert/strict";
import { NO_CONFIGURED, parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { MESHCTL, preferExperimental } from "./program.ts";
import { prefersExperimental, readSettings, settingsFile } from "./settings.ts";

/** The flags of a command that connects to a daemon. */
const flagsOfVersion = (values: ReadonlyMap<string, string> = new Map()) =>
  parseArgv(MESHCTL, ["x", "version"], { file: "config.yaml", values }).flags;

const STRINGS: [flag: string, variable: string, value: string][] = [
  ["xds-address", "MESHCTL_XDS_ADDRESS", "meshd.test:15012"],
  ["cert-dir", "MESHCTL_CERT_DIR", "/certs"],
  ["authority", "MESHCTL_AUTHORITY", "meshd.mesh-system.svc"],
];

for (const [flag, variable, value] of STRINGS) {
  Deno.test(`${variable} and the file give --${flag}`, () => {
    assert.equal(flagsOfVersion().string(flag), "");
    assert.equal(flagsOfVersion(new Map([[flag, "of-file"]])).string(flag), "of-file");
    using _ = useEnvironment({ [variable]: value });
    assert.equal(flagsOfVersion(new Map([[flag, "of-file"]])).string(flag), value);
  });
}

Deno.test("MESHCTL_XDS_PORT, MESHCTL_INSECURE and MESHCTL_PLAINTEXT give their flags", () => {
  assert.equal(flagsOfVersion().number("xds-port"), 15012);
  assert.deepEqual([flagsOfVersion().bool("insecure"), flagsOfVersion().bool("plaintext")], [
    false,
    false,
  ]);
  using _ = useEnvironment({
    MESHCTL_XDS_PORT: "15010",
    MESHCTL_INSECURE: "true",
    MESHCTL_PLAINTEXT: "true",
  });
  assert.equal(flagsOfVersion().number("xds-port"), 15010);
  assert(flagsOfVersion().bool("insecure") && flagsOfVersion().bool("plaintext"));
});

Deno.test("MESHCTL_PREFER_EXPERIMENTAL replaces commands by their experimental form", () => {
  assert.equal(prefersExperimental(NO_CONFIGURED), false);
  const values = new Map([["prefer-experimental", "true"]]);
  assert.equal(prefersExperimental({ file: "x", values }), true);
  using _ = useEnvironment({ MESHCTL_PREFER_EXPERIMENTAL: "true" });
  assert.equal(prefersExperimental(NO_CONFIGURED), true);
  const { flags } = parseArgv(preferExperimental(MESHCTL), ["ps", "--xds-via-agents"]);
  assert(flags.bool("xds-via-agents"));
});

Deno.test("MESHCONFIG names the file; wrong settings give warnings and are ignored", async () => {
  const dir = await Deno.makeTempDir();
  try {
    using _ = useEnvironment({ MESHCONFIG: `${dir}/settings.yaml`, HOME: "/home/somebody" });
    let err = "";
    const io = { out: () => {}, err: (text: string) => void (err += text) };
    assert.deepEqual(await readSettings(io), NO_CONFIGURED);
    assert.equal(err, "");
    await Deno.writeTextFile(
      `${dir}/settings.yaml`,
      "xds-address: meshd.test:15010\nplaintext: true\nxds-adress: x\ncert-dir: [a]\n",
    );
    const { file, values } = await readSettings(io);
    assert.equal(file, `${dir}/settings.yaml`);
    assert.deepEqual([...values], [["xds-address", "meshd.test:15010"], ["plaintext", "true"]]);
    assert.match(err, /unknown setting xds-adress; did you mean xds-address\?/);
    assert.match(err, /cert-dir must be one value/);
    err = "";
    await Deno.writeTextFile(`${dir}/settings.yaml`, "__proto__: {a: b}\n");
    assert.deepEqual([...(await readSettings(io)).values], []);
    assert.match(err, /^Warning: .*settings\.yaml:1: /);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
  using _ = useEnvironment({ HOME: "/home/somebody" });
  assert.equal(settingsFile(), "/home/somebody/.meshctl/config.yaml");
});
