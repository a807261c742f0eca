import assert from "node:assert/strict";
import { tokenSource } from "./mod.ts";

Deno.test("tokens of a platform are asked for by audience, and bad answers are refused", async () => {
  const seen: string[] = [];
  let answer = () => new Response("header.body.signature\n");
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    seen.push(`${new URL(request.url).search} ${request.headers.get("metadata")}`);
    return answer();
  });
  const url = `http://127.0.0.1:${server.addr.port}/identity`;
  const settings = {
    policy: "third-party-jwt",
    fetcher: "CloudVmPlatform",
    url,
    audience: "mesh-ca",
  };
  const token = tokenSource(settings);
  assert.equal(await token(), "header.body.signature");
  assert.deepEqual(seen, ["?audience=mesh-ca true"]);
  const bad: readonly (() => Response)[] = [
    () => new Response("a secret", { status: 403 }),
    () => new Response(""),
    () => new Response("two words"),
    () => new Response("x".repeat(100_000)),
    () => Response.redirect(url, 302),
  ];
  for (answer of bad) {
    await assert.rejects(token(), (error: Error) => !error.message.includes("secret"));
  }
  for (const url of [undefined, "", "file:///etc/passwd", "metadata"]) {
    assert.throws(() => tokenSource({ ...settings, url }), { code: "credential-url" });
  }
  assert.equal(await tokenSource({ ...settings, fetcher: "JWT", policy: "none" })(), undefined);
});
