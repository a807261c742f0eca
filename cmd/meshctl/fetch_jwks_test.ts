/** Key sets of token issuers that `explain request` fetches for the mesh of files. */
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { makeAuthority, withCertificates } from "../../tests/support/certificates.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { MESHCTL } from "./program.ts";

function meshOf(uri: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: shop}
spec:
  hosts: [a.example]
  location: MESH_INTERNAL
  resolution: STATIC
  addresses: [10.1.0.1]
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 172.16.0.1, labels: {app: a}, serviceAccount: a}]
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: front, namespace: web}
spec: {address: 172.16.0.9, labels: {app: front}, serviceAccount: front}
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {jwtRules: [{issuer: i, jwksUri: "${uri}"}]}
`;
}

async function signer() {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...await exportJWK(publicKey), kid: "k", alg: "ES256" };
  const token = await new SignJWT({ iss: "i", sub: "x" })
    .setProtectedHeader({ alg: "ES256", kid: "k" }).sign(privateKey);
  return { jwks: JSON.stringify({ keys: [key] }), token };
}

Deno.test(withCertificates(
  "explain request fetches key sets over HTTPS, and says why one cannot be fetched",
  async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-jwks-" });
    try {
      const authority = await makeAuthority(dir);
      const { cert, key } = await authority.issue("keys", ["localhost"]);
      const [own, other] = [await signer(), await signer()];
      const answers: Readonly<Record<string, () => Response>> = {
        "/keys": () => new Response(own.jwks),
        "/large": () => new Response(" ".repeat(2 ** 20 + 1)),
        "/broken": () => new Response("down", { status: 500 }),
        "/text": () => new Response('{"no": "keys"}'),
      };
      await using server = Deno.serve({
        ...{ hostname: "127.0.0.1", port: 0, onListen: () => {} },
        cert: await Deno.readTextFile(cert),
        key: await Deno.readTextFile(key),
      }, ({ url }) => answers[new URL(url).pathname]!());
      const ask = async (path: string, token: string, ...flags: string[]) => {
        const uri = `https://localhost:${server.addr.port}${path}`;
        await Deno.writeTextFile(`${dir}/mesh.yaml`, meshOf(uri));
        const [out, err, status] = await runInProcess(MESHCTL, [
          ...["explain", "request", "--config-dir", `${dir}/mesh.yaml`],
          ...["--from", "front.web", "--to", "a.example/", "--token", token, ...flags],
        ]);
        return { last: out.trimEnd().split("\n").at(-1)!, err, status };
      };
      const fetched = ["--fetch-jwks", "--jwks-ca", authority.cert];

      const allowed = await ask("/keys", own.token, ...fetched);
      assert.match(allowed.last, /^ALLOWED/);
      assert.equal(allowed.err, "");
      const denied = await ask("/keys", other.token, ...fetched);
      assert.match(denied.last, /^DENIED by RequestAuthentication\/shop\/tokens: 401/);
      const unasked = await ask("/keys", own.token);
      assert.match(unasked.last, /^UNKNOWN: .*--jwks FILE, or let --fetch-jwks fetch it/);
      assert.equal(unasked.status, 2);
      for (
        const [path, why] of [
          ["/large", /^Warning: keys of https.*/],
          ["/broken", /^Warning: keys of https.*500/],
          ["/text", /^Warning: keys of https.*not a JSON Web Key Set/],
        ] as const
      ) {
        const { last, err, status } = await ask(path, own.token, ...fetched);
        assert.match(err, why, path);
        assert.match(last, /^UNKNOWN/, path);
        assert.equal(status, 2);
      }
      // The authority of the server is not one of the system's.
      const foreign = await ask("/keys", own.token, "--fetch-jwks");
      assert.match(foreign.err, /^Warning: keys of https/);
      assert.match(foreign.last, /^UNKNOWN/);
      const lonely = await ask("/keys", own.token, "--jwks-ca", authority.cert);
      assert.match(lonely.err, /--jwks-ca needs --fetch-jwks/);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
));

Deno.test("explain request of a daemon does not fetch key sets", async () => {
  const [, err, status] = await runInProcess(MESHCTL, [
    ...["explain", "request", "--daemon", "127.0.0.1:1", "--fetch-jwks"],
    ...["--from", "a.b", "--to", "c/"],
  ]);
  assert.match(err, /--fetch-jwks needs --config-dir[^]*--jwks FILE/);
  assert.equal(status, 64);
});
