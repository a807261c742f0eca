/**
 * TLS options of `meshctl` at the secured listener of a daemon.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { NO_CONFIGURED, runProgram } from "../../lib/kit/cli/mod.ts";
import { freePort, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { makeAuthority } from "../support/certificates.ts";
import { requestCertificate, startTokenIssuer } from "../support/identity.ts";

/** Asks a daemon a debug query. */
async function ask(...args: string[]): Promise<{ out: string; err: string; status: number }> {
  let [out, err] = ["", ""];
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const { signal } = new AbortController();
  const argv = ["x", "internal-debug", "syncz", "--timeout", "60s", ...args];
  const status = await runProgram(MESHCTL, argv, { io, signal, configured: NO_CONFIGURED });
  return { out, err, status };
}

Deno.test("meshctl: certificates, names and roots of the secured listener", async (t) => {
  await using config = await makeConfigDir();
  await using store = await makeConfigDir();
  await using certificates = await makeConfigDir();
  await using issuer = await startTokenIssuer();
  const secured = freePort();
  await using _ = await startDaemon({
    configDir: config.path,
    secured,
    env: { JWT_RULE: issuer.rule, MESHCA_SELF_SIGNED_DIR: store.path },
  });
  const { roots } = JSON.parse(await Deno.readTextFile(`${store.path}/self-signed.json`));
  const ca = roots.active.certificate as string;
  const token = await issuer.token("mesh-system", "operator");
  const { cert, key } = await requestCertificate(`localhost:${secured}`, { ca }, token);
  await certificates.write("cert-chain.pem", cert);
  await certificates.write("key.pem", key);
  await certificates.write("root-cert.pem", ca);
  // The root of another authority.
  await using another = await makeConfigDir();
  const issuerOfOthers = await Deno.readTextFile((await makeAuthority(another.path)).cert);
  const byName = ["--xds-address", `localhost:${secured}`];
  const trusted = ["--cert-dir", certificates.path];

  await t.step("a certificate directory identifies both sides", async () => {
    assert.deepEqual(await ask(...byName, ...trusted), { out: "[]\n", err: "", status: 0 });
    // The port may be a flag of its own.
    const apart = ["--xds-address", "localhost", "--xds-port", String(secured)];
    assert.equal((await ask(...apart, ...trusted)).status, 0);
  });

  await t.step("--authority is the name that the certificate must have", async () => {
    assert.equal((await ask(...byName, ...trusted, "--authority", "localhost")).status, 0);
    const wrong = await ask(...byName, ...trusted, "--authority", "other.test");
    assert.equal(wrong.status, 1);
    assert.match(wrong.err, /^Error: cannot ask the daemon at localhost:\d+: /);
  });

  await t.step("unknown roots are refused, and --insecure accepts them", async () => {
    await using others = await makeConfigDir();
    const files = { "cert-chain.pem": cert, "key.pem": key, "root-cert.pem": issuerOfOthers };
    for (const [name, text] of Object.entries(files)) await others.write(name, text);
    const wrong = ["--cert-dir", others.path];
    for (const args of [[], wrong]) {
      const refused = await ask(...byName, ...args);
      assert.equal(refused.status, 1);
      assert.match(refused.err, /^Error: cannot ask the daemon at .*(issuer|certificate)/i);
    }
    assert.deepEqual(await ask(...byName, ...wrong, "--insecure"), {
      out: "[]\n",
      err: "",
      status: 0,
    });
    const nobody = await ask(...byName, "--insecure");
    assert.match(nobody.err, /refuses the query: .*\n.*use --cert-dir/);
  });

  await t.step("plain text at a port with TLS, and wrong directories, say what to do", async () => {
    const plain = await ask(...byName, "--plaintext");
    assert.equal(plain.status, 1);
    const both = await ask(...byName, ...trusted, "--plaintext");
    assert.match(both.err, /--plaintext excludes --cert-dir/);
    const missing = await ask(...byName, "--cert-dir", `${certificates.path}/none`);
    assert.match(missing.err, /cannot read .*\.pem[^]*needs cert-chain\.pem, key\.pem/);
  });
});
