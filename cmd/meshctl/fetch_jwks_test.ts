/** Key sets of token issuers that `explain request` fetches for the mesh of files. */
import assert from "node:assert/strict";
import { makeAuthority, withCertificates } from "../../tests/support/certificates.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { makeSigner, tokenMesh } from "../../tests/support/token_mesh.ts";
import { MESHCTL } from "./program.ts";

const FRONT = `---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: front, namespace: web}
spec: {address: 172.16.0.9, labels: {app: front}, serviceAccount: front}
`;

function meshOf(uri: string): string {
  return `${tokenMesh(`jwksUri: "${uri}"`)}${FRONT}`;
}

Deno.test(withCertificates(
  "explain request fetches key sets over HTTPS, and says why one cannot be fetched",
  async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-jwks-" });
    try {
      const authority = await makeAuthority(dir);
      const { cert, key } = await authority.issue("keys", ["localhost"]);
      const own = await makeSigner();
      const [token, foreignToken] = [await own.sign(), await (await makeSigner()).sign()];
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

      const allowed = await ask("/keys", token, ...fetched);
      assert.match(allowed.last, /^ALLOWED/);
      assert.equal(allowed.err, "");
      const denied = await ask("/keys", foreignToken, ...fetched);
      assert.match(denied.last, /^DENIED by RequestAuthentication\/shop\/tokens: 401/);
      const unasked = await ask("/keys", token);
      assert.match(unasked.last, /^UNKNOWN: .*--jwks FILE, or let --fetch-jwks fetch it/);
      assert.equal(unasked.status, 2);
      for (
        const [path, why] of [
          ["/large", /^Warning: keys of https.*/],
          ["/broken", /^Warning: keys of https.*500/],
          ["/text", /^Warning: keys of https.*not a JSON Web Key Set/],
        ] as const
      ) {
        const { last, err, status } = await ask(path, token, ...fetched);
        assert.match(err, why, path);
        assert.match(last, /^UNKNOWN/, path);
        assert.equal(status, 2);
      }
      // The authority of the server is not one of the system's.
      const foreign = await ask("/keys", token, "--fetch-jwks");
      assert.match(foreign.err, /^Warning: keys of https/);
      assert.match(foreign.last, /^UNKNOWN/);
      const lonely = await ask("/keys", token, "--jwks-ca", authority.cert);
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
