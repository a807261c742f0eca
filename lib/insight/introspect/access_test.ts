import assert from "node:assert/strict";
import { TOPICS } from "./topic.ts";
import { ask, askRaw, withFacility } from "../../../tests/support/introspection_fixture.ts";

const CHANGES = [
  "PUT /homej/exit",
  "POST /homez/exit",
  "PUT /memj/forcecollection",
  "POST /memz/forcecollection",
  "PUT /scopej/ads",
  "POST /scopez/ads",
  "PUT /signalj/SIGUSR1",
  "POST /signalj/SIGUSR1",
  "POST /signalz/SIGUSR1",
];

const HERE = ["GET /debug/pprof/", "GET /debug/pprof/cmdline", "GET /debug/pprof/heap"];

for (const request of CHANGES) {
  Deno.test(`${request} is refused to others' pages and other host names`, () =>
    withFacility(async (facility) => {
      const refusals: readonly (readonly string[])[] = [
        ["Host: localhost", "Sec-Fetch-Site: cross-site"],
        ["Host: localhost", "Sec-Fetch-Site: same-site", "Origin: http://localhost"],
        ["Host: localhost", "Origin: https://evil.example"],
        ["Host: localhost", "Origin: null"],
        ["Host: mesh.evil.example"],
      ];
      for (const headers of refusals) {
        assert.match(await askRaw(facility, [request, ...headers]), /^HTTP\/1.1 403 /);
      }
      assert.equal(facility.stops(), 0);
      const [, path = ""] = request.split(" ");
      assert.equal((await ask(facility, `GET ${path}`)).status === 200, path.startsWith("/scope"));
    }, "0.0.0.0:0"));
}

for (const [name] of TOPICS) {
  Deno.test(`/${name}z and /${name}j show nothing to a rebound host name`, () =>
    withFacility(async (facility) => {
      for (const path of [`/${name}z/`, `/${name}j/`]) {
        const evil = await askRaw(facility, [`GET ${path}`, "Host: mesh.evil.example"]);
        assert.match(evil, /^HTTP\/1.1 403 /);
        assert.match(await askRaw(facility, [`GET ${path}`, "Host: localhost"]), /^HTTP\/1.1 200 /);
      }
    }, "0.0.0.0:0"));
}

for (const request of HERE) {
  Deno.test(`${request} is for this machine`, () =>
    withFacility(async (facility) => {
      assert.match(await askRaw(facility, [request, "Host: 192.0.2.1"]), /^HTTP\/1.1 403 /);
      assert.match(await askRaw(facility, [request, "Host: localhost"]), /^HTTP\/1.1 200 /);
    }, "0.0.0.0:0"));
}

Deno.test("a page's own form is let through", () =>
  withFacility(async (facility) => {
    const headers = ["Host: localhost", "Sec-Fetch-Site: same-origin", "Origin: null"];
    const answer = await askRaw(facility, ["POST /homez/exit", ...headers]);
    assert.match(answer, /^HTTP\/1.1 202 /);
    assert.equal(facility.stops(), 1);
  }));
