/**
 * Cases of matches: matching requests go to v1, others to v2.
 *
 * @module
 */
import { type Spec, to } from "../../support/manifest.ts";
import type { Exchange, RoutingCase } from "./case.ts";
import { SERVICE } from "./service.ts";

type Ask = Pick<Exchange, "path" | "method" | "headers" | "as">;

/** A match with requests that it takes and requests that it does not. */
interface MatchCase {
  readonly name: string;
  readonly match: Spec | readonly Spec[];
  readonly hits: readonly Ask[];
  readonly misses: readonly Ask[];
  readonly host?: string;
}

const TRACE = "x-trace-id";

const TABLE: readonly MatchCase[] = [
  {
    name: "uri exact",
    match: { uri: { exact: "/a" } },
    hits: [{ path: "/a" }, { path: "/a?x=1" }],
    misses: [{ path: "/a/b" }, { path: "/A" }, { path: "/" }],
  },
  {
    name: "uri prefix",
    match: { uri: { prefix: "/api" } },
    hits: [{ path: "/api" }, { path: "/api/x" }, { path: "/apis" }],
    misses: [{ path: "/ap" }, { path: "/API/x" }, { path: "/x/api" }],
  },
  {
    name: "uri regex",
    match: { uri: { regex: "/item/[0-9]+" } },
    hits: [{ path: "/item/42" }, { path: "/item/42?x=1" }],
    misses: [{ path: "/item/x" }, { path: "/item/42/more" }, { path: "/an/item/42" }],
  },
  {
    name: "uri without regard to case",
    match: { uri: { prefix: "/Shop" }, ignoreUriCase: true },
    hits: [{ path: "/shop/x" }, { path: "/SHOP" }, { path: "/Shop" }],
    misses: [{ path: "/sho" }],
  },
  {
    name: "header exact",
    match: { headers: { [TRACE]: { exact: "abc" } } },
    hits: [{ headers: { [TRACE]: "abc" } }],
    misses: [{ headers: { [TRACE]: "abcd" } }, {}],
  },
  {
    name: "header prefix",
    match: { headers: { [TRACE]: { prefix: "ab" } } },
    hits: [{ headers: { [TRACE]: "ab" } }, { headers: { [TRACE]: "abc" } }],
    misses: [{ headers: { [TRACE]: "xab" } }, {}],
  },
  {
    name: "header regex",
    match: { headers: { [TRACE]: { regex: "a.*z" } } },
    hits: [{ headers: { [TRACE]: "a to z" } }],
    misses: [{ headers: { [TRACE]: "a to y" } }, {}],
  },
  {
    name: "header present",
    match: { headers: { [TRACE]: {} } },
    hits: [{ headers: { [TRACE]: "anything" } }],
    misses: [{}],
  },
  {
    name: "two headers, both needed",
    match: { headers: { [TRACE]: { exact: "a" }, "x-user": { exact: "b" } } },
    hits: [{ headers: { [TRACE]: "a", "x-user": "b" } }],
    misses: [{ headers: { [TRACE]: "a" } }, { headers: { "x-user": "b" } }],
  },
  {
    name: "header with another value or none",
    match: { withoutHeaders: { [TRACE]: { exact: "abc" } } },
    hits: [{}, { headers: { [TRACE]: "other" } }],
    misses: [{ headers: { [TRACE]: "abc" } }],
  },
  {
    name: "header absent",
    match: { withoutHeaders: { [TRACE]: {} } },
    hits: [{}],
    misses: [{ headers: { [TRACE]: "anything" } }],
  },
  {
    name: "method",
    match: { method: { exact: "PUT" } },
    hits: [{ method: "PUT" }],
    misses: [{ method: "GET" }, { method: "POST" }],
  },
  {
    name: "method regex",
    match: { method: { regex: "PUT|PATCH" } },
    hits: [{ method: "PUT" }, { method: "PATCH" }],
    misses: [{ method: "GET" }],
  },
  {
    name: "query parameter exact",
    match: { queryParams: { version: { exact: "beta" } } },
    hits: [{ path: "/?version=beta" }, { path: "/x?a=b&version=beta" }],
    misses: [{ path: "/?version=betas" }, { path: "/?other=beta" }, {}],
  },
  {
    name: "query parameter regex",
    match: { queryParams: { id: { regex: "[0-9]+" } } },
    hits: [{ path: "/?id=12" }],
    misses: [{ path: "/?id=x" }, {}],
  },
  {
    name: "query parameter present",
    match: { queryParams: { debug: {} } },
    hits: [{ path: "/?debug=1" }, { path: "/?debug=" }],
    misses: [{ path: "/?other=1" }],
  },
  {
    name: "authority",
    host: "*.authority.test",
    match: { authority: { exact: "one.authority.test" } },
    hits: [{ as: "one.authority.test" }],
    misses: [{ as: "two.authority.test" }],
  },
  {
    name: "scheme",
    match: { scheme: { exact: "http" }, uri: { prefix: "/plain" } },
    hits: [{ path: "/plain" }],
    misses: [{ path: "/other" }],
  },
  {
    name: "scheme of another kind",
    match: { scheme: { exact: "https" } },
    hits: [],
    misses: [{}],
  },
  {
    name: "several conditions, all needed",
    match: { uri: { prefix: "/a" }, method: { exact: "POST" }, headers: { [TRACE]: {} } },
    hits: [{ path: "/a", method: "POST", headers: { [TRACE]: "1" } }],
    misses: [{ path: "/a", method: "POST" }, { path: "/a", headers: { [TRACE]: "1" } }],
  },
  {
    name: "several matches, any is enough",
    match: [{ uri: { exact: "/a" } }, { headers: { [TRACE]: { exact: "1" } } }],
    hits: [{ path: "/a" }, { path: "/b", headers: { [TRACE]: "1" } }],
    misses: [{ path: "/b" }],
  },
];

/** The table as cases. */
export const MATCH_CASES: readonly RoutingCase[] = TABLE.map((row) => ({
  name: `match: ${row.name}`,
  host: row.host,
  http: [{ match: [row.match].flat(), ...to(SERVICE, "v1") }, to(SERVICE, "v2")],
  exchanges: [
    ...row.hits.map((ask) => ({ ...ask, from: "v1" })),
    ...row.misses.map((ask) => ({ ...ask, from: "v2" })),
  ],
}));
