/**
 * The authorities of a kubeconfig are trusted alone: an API server with a certificate of an authority
 * of the system gets no request.
 *
 * @module
 */
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import assert from "node:assert/strict";
import {
  generateKey,
  issueAuthority,
  issueLeaf,
  type Issuer,
  privateKeyPem,
} from "../../lib/kit/pki/mod.ts";

const HOUR = 3_600_000;
const validity = { notBefore: Date.now() - HOUR, notAfter: Date.now() + HOUR };

async function authority(): Promise<Issuer> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  return { key, certificate: await issueAuthority({ organization: "root", key, ...validity }) };
}

Deno.test("an API server of an authority that only the system trusts gets no request", async () => {
  const [ofSystem, ofFile] = [await authority(), await authority()];
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const names = { dnsNames: ["localhost"], ips: ["127.0.0.1"] };
  const leaf = await issueLeaf({ spki: key.spki, ...names, ...validity }, ofSystem);
  const requests: string[] = [];
  await using server = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    cert: leaf.pem,
    key: await privateKeyPem(key, "pkcs8"),
    onListen() {},
  }, (request) => {
    requests.push(request.headers.get("authorization") ?? "");
    return new Response(null, { status: 403 });
  });
  await using dir = await makeConfigDir();
  await Deno.writeTextFile(`${dir.path}/system.pem`, ofSystem.certificate.pem);
  const start = async ({ certificate }: Issuer) => {
    const cluster = {
      server: `https://127.0.0.1:${server.addr.port}`,
      "certificate-authority-data": btoa(certificate.pem),
    };
    await Deno.writeTextFile(
      `${dir.path}/kubeconfig`,
      JSON.stringify({
        "current-context": "c",
        clusters: [{ name: "c", cluster }],
        users: [{ name: "u", user: { token: "secret" } }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      }),
    );
    return await startDaemon({
      configDir: "",
      args: [`--orchconfig=${dir.path}/kubeconfig`],
      // The runtime trusts this authority beside its own.
      env: { DENO_CERT: `${dir.path}/system.pem` },
      noWait: true,
    });
  };
  {
    await using daemon = await start(ofFile);
    await daemon.program.printed(/unable to verify the first certificate/);
  }
  assert.equal(requests.length, 0);
  await using _ = await start(ofSystem);
  await eventually("a request", () => Promise.resolve(requests.includes("Bearer secret")));
});
