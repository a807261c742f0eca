/** Credentials of gateways and clients without an identity, without an orchestrator. */
import assert from "node:assert/strict";
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import { manifest } from "../support/manifest.ts";
import { watchSecrets } from "../support/secrets_client.ts";

const NAME = "kubernetes://site";
const GATEWAY = manifest("Gateway", "edge", {
  selector: { at: "edge" },
  servers: [{
    port: { number: 8443, name: "https", protocol: "HTTPS" },
    hosts: ["*.test"],
    tls: { mode: "SIMPLE", credentialName: "site" },
  }],
}, "shop");

const CASES = [
  [{}, false, undefined],
  [{ MESH_CREDENTIAL_ANONYMOUS: "true" }, true, /every program on this machine can read the keys/],
  [
    { MESH_CREDENTIAL_ANONYMOUS: "true", MESH_CREDENTIAL_ACCOUNTS: "shop/edge" },
    false,
    /MESH_CREDENTIAL_ANONYMOUS has no effect with MESH_CREDENTIAL_ACCOUNTS/,
  ],
] as const;

Deno.test(
  withCertificates("no identity, no credentials, unless a setting of files says so", async () => {
    await using config = await makeConfigDir();
    await using credentials = await makeConfigDir();
    await using store = await makeConfigDir();
    const authority = await makeAuthority(store.path);
    const { cert, key } = await authority.issue("site", ["a.test"]);
    const dir = `${credentials.path}/shop/site`;
    await Deno.mkdir(dir, { recursive: true });
    await Deno.copyFile(cert, `${dir}/tls.crt`);
    await Deno.copyFile(key, `${dir}/tls.key`);
    await config.write("a.yaml", GATEWAY);
    for (const [env, served, warning] of CASES) {
      await using daemon = await startDaemon({
        configDir: config.path,
        env: { MESH_CREDENTIAL_DIR: credentials.path, ...env },
      });
      if (warning !== undefined) await daemon.program.printed(warning);
      await using gateway = watchSecrets({ target: daemon.xds, account: "edge", names: [NAME] });
      await gateway.answered;
      if (served) {
        await eventually("the secret", () => Promise.resolve(gateway.held.has(NAME)));
      } else {
        assert.deepEqual([...gateway.held.keys()], []);
        await daemon.program.printed(/a gateway without an identity receives no credentials/);
      }
    }
  }),
);
