/** Tests subscriptions by name, by wildcard, and by route table. */
import assert from "node:assert/strict";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { asksFor } from "./find.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";

const watch = (typeUrl: string, names: readonly string[], wildcard = false) =>
  ({ typeUrl, names, wildcard }) as unknown as SessionInfo["types"][number];

const { cluster, endpoint, route, virtualHost } = TYPE_URLS;

Deno.test("clients are found by the resources that they subscribe to", () => {
  const session = {
    types: [
      watch(cluster, [], true),
      watch(endpoint, ["one"]),
      watch(route, ["80"]),
      watch(virtualHost, ["on/demand:1"]),
    ],
  };
  const cases: readonly (readonly [string, string, boolean])[] = [
    [cluster, "any", true],
    [endpoint, "one", true],
    [endpoint, "two", false],
    [virtualHost, "80/a.test:80", true],
    [virtualHost, "8080/a.test:8080", false],
    [virtualHost, "on/demand:1", true],
    [TYPE_URLS.listener, "any", false],
  ];
  for (const [type, name, asked] of cases) {
    assert.equal(asksFor(session, type)(name), asked, `${type} ${name}`);
  }
});
