import assert from "node:assert/strict";
import { makeAuthority, withCertificates } from "../../../tests/support/certificates.ts";
import { restrictedFetch } from "./compliance.ts";
import { FIPS_SUITES } from "./mod.ts";

Deno.test(withCertificates("a restricted fetch sends requests by allowed suites only", async () => {
  const dir = await Deno.makeTempDir();
  const authority = await makeAuthority(dir);
  const files = await authority.issue("server", ["localhost"]);
  const read = (path: string) => Deno.readTextFile(path);
  const ca = await read(authority.cert);
  const bodies: string[] = [];
  const server = Deno.serve(
    {
      hostname: "localhost",
      port: 0,
      onListen() {},
      cert: await read(files.cert),
      key: await read(files.key),
    },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/moved") return Response.redirect("https://localhost/other");
      bodies.push(`${request.headers.get("content-type")} ${await request.text()}`);
      return Response.json({ method: request.method }, { status: 202 });
    },
  );
  const url = `https://localhost:${server.addr.port}`;
  const get = restrictedFetch(FIPS_SUITES, ca);
  const answer = await get(url, { method: "POST", body: new URLSearchParams({ a: "1 2" }) });
  assert.equal(answer.status, 202);
  assert.deepEqual(await answer.json(), { method: "POST" });
  assert.deepEqual(bodies, ["application/x-www-form-urlencoded;charset=UTF-8 a=1+2"]);
  await assert.rejects(get(`${url}/moved`), /redirects/);
  const others = restrictedFetch(new Set(["TLS_CHACHA20_POLY1305_SHA256"]), ca);
  await assert.rejects(others(url), /cipher suite TLS_AES_\d+_GCM_SHA\d+/);
  assert.equal(bodies.length, 1, "nothing was sent");
  await assert.rejects(restrictedFetch(FIPS_SUITES)(url));
  await server.shutdown();
  await Deno.remove(dir, { recursive: true });
}));
