import assert from "node:assert/strict";
import { matchRoute, route } from "./route.ts";
import { text } from "./respond.ts";

const ROUTES = [
  route("GET", "/", () => text("root")),
  route("GET", "/debug/list", () => text("list")),
  route("GET", "/debug/:name", () => text("name")),
  route("POST", "/debug/:name", () => text("post")),
  route("*", "/healthz/ready", () => text("ready")),
  route("GET", "/files/*path", () => text("files")),
];

const MATCHES: [method: string, path: string, index: number, params: Record<string, string>][] = [
  ["GET", "/", 0, {}],
  ["HEAD", "/", 0, {}],
  ["GET", "/debug/list", 1, {}],
  ["GET", "/debug/syncz", 2, { name: "syncz" }],
  ["GET", "/debug/a%2Fb%20c", 2, { name: "a/b c" }],
  ["POST", "/debug/list", 3, { name: "list" }],
  ["DELETE", "/healthz/ready", 4, {}],
  ["GET", "/files/a/b", 5, { path: "a/b" }],
  ["GET", "/files/", 5, { path: "" }],
];

for (const [method, path, index, params] of MATCHES) {
  Deno.test(`${method} ${path} finds its route`, () => {
    const match = matchRoute(ROUTES, method, path);
    assert(match.kind === "found");
    assert.equal(match.route, ROUTES[index]);
    assert.deepEqual(match.params, params);
  });
}

for (const path of ["/nope", "/debug", "/debug/", "/debug/a/b", "/debug/%zz", "//", "/files"]) {
  Deno.test(`GET ${path} finds none`, () => {
    assert.deepEqual(matchRoute(ROUTES, "GET", path), { kind: "none" });
  });
}

Deno.test("a known path with another method is answered with the allowed methods", () => {
  const match = matchRoute(ROUTES, "PUT", "/debug/x");
  assert.deepEqual(match, { kind: "method", allow: ["GET", "HEAD", "POST"] });
});
