import assert from "node:assert/strict";
import { HTTPRouteMatchSchema } from "#mesh/gateway/v1/http_route_pb.ts";
import { HTTPMatchRequestSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create, fromJson, type JsonValue, toJson } from "../../../kit/proto/mod.ts";
import { compareMatches, convertMatch } from "./http_matches.ts";

function converted(match: JsonValue) {
  return convertMatch(fromJson(HTTPRouteMatchSchema, match));
}

Deno.test("http matches: paths, headers, parameters and methods are converted", () => {
  const cases: readonly (readonly [JsonValue, JsonValue])[] = [
    [{}, {}],
    [{ path: {} }, { uri: { prefix: "/" } }],
    [{ path: { type: "PathPrefix", value: "/a/" } }, { uri: { prefix: "/a" } }],
    [{ path: { type: "Exact", value: "/a/" } }, { uri: { exact: "/a/" } }],
    [{ path: { type: "RegularExpression", value: "/a.*" } }, { uri: { regex: "/a.*" } }],
    [{ method: "GET" }, { method: { exact: "GET" } }],
    [
      { headers: [{ name: "A", value: "1" }, { name: "a", value: "2" }] },
      { headers: { a: { exact: "1" } } },
    ],
    [
      { queryParams: [{ name: "A", type: "RegularExpression", value: ".+" }] },
      { queryParams: { A: { regex: ".+" } } },
    ],
  ];
  for (const [match, expected] of cases) {
    assert.deepEqual(toJson(HTTPMatchRequestSchema, converted(match)), expected);
  }
});

Deno.test("http matches: the more particular condition is tried first", () => {
  const path = (type: string, value: string) => ({ path: { type, value } });
  const header = (name: string) => ({ name, value: "1" });
  const ordered = [
    converted({ ...path("Exact", "/baz"), headers: [header("a")] }),
    converted(path("Exact", "/baz")),
    converted(path("PathPrefix", "/foo/bar")),
    converted({ ...path("PathPrefix", "/foo"), method: "GET" }),
    converted({ ...path("PathPrefix", "/foo"), headers: [header("a"), header("b")] }),
    converted({ ...path("PathPrefix", "/foo"), headers: [header("a")] }),
    converted({ ...path("PathPrefix", "/foo"), queryParams: [header("a")] }),
    converted(path("PathPrefix", "/foo")),
    converted({ method: "PATCH" }),
    create(HTTPMatchRequestSchema),
    converted(path("RegularExpression", "/foo((\\/).*)?")),
    converted(path("RegularExpression", "/.*")),
  ];
  assert.deepEqual(ordered.toReversed().toSorted(compareMatches), ordered);
  assert.equal(compareMatches(undefined, converted(path("PathPrefix", "/"))), 0);
});
