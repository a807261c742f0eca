/** Filters of backends: rules for shares of the requests, and what cannot be applied. */
import assert from "node:assert/strict";
import type { HTTPRouteSchema } from "#mesh/gateway/v1/http_route_pb.ts";
import type { MessageInitShape } from "../../../kit/proto/mod.ts";
import { backendFault, type FilteredRule, ruleShares } from "./backend_filters.ts";
import type { AnyFilter } from "./http_headers.ts";

type Init = NonNullable<
  NonNullable<MessageInitShape<typeof HTTPRouteSchema>["rules"]>[number]["filters"]
>[number];

const HOST: Init = { type: "URLRewrite", urlRewrite: { hostname: "b.test" } };
const REDIRECT: Init = { type: "RequestRedirect", requestRedirect: { scheme: "https" } };
const MIRROR: Init = { type: "RequestMirror", requestMirror: { backendRef: { name: "c" } } };
const HEADERS: Init = { type: "RequestHeaderModifier", requestHeaderModifier: {} };
const EXTENSION: Init = { type: "ExtensionRef", extensionRef: { kind: "K", name: "n" } };

const ref = (name: string, weight?: number, ...filters: Init[]) => ({
  name,
  ...(weight === undefined ? {} : { weight }),
  filters: filters as AnyFilter[],
});

function sharesOf(
  backendRefs: ReturnType<typeof ref>[],
  filters: Init[] = [],
  sessionPersistence?: object,
): string[] {
  const rule: FilteredRule = {
    filters: filters as AnyFilter[],
    backendRefs,
    ...(sessionPersistence && { sessionPersistence }),
  };
  return ruleShares(rule).map(({ rule, upTo }) => {
    const names = (all: readonly AnyFilter[] = []) => all.map(({ type }) => type).join("+");
    const backends = rule.backendRefs.map(({ name, filters }) => `${name}(${names(filters)})`);
    return `${upTo ?? "rest"} [${names(rule.filters)}] ${backends.join(" ")}`;
  });
}

Deno.test("a rule has a share for each backend if one has filters that change more than headers", () => {
  const cases: readonly (readonly [shares: string[], expected: string[]])[] = [
    [sharesOf([ref("a", 1, HEADERS), ref("b", 2)]), [
      "rest [] a(RequestHeaderModifier) b()",
    ]],
    [sharesOf([ref("a", undefined, HOST, HEADERS)], [MIRROR]), [
      "rest [RequestMirror+URLRewrite] a(RequestHeaderModifier)",
    ]],
    [sharesOf([ref("a", 1, HOST), ref("b", 2), ref("none", 0, HOST), ref("c")]), [
      "250000 [URLRewrite] a()",
      "750000 [] b()",
      "rest [] c()",
    ]],
    [sharesOf([ref("a", 1, REDIRECT), ref("b", 2, MIRROR)], [MIRROR, HEADERS]), [
      // A redirect excludes the mirror of its rule.
      "333333 [RequestMirror+RequestHeaderModifier] a(RequestRedirect)",
      "rest [RequestMirror+RequestHeaderModifier+RequestMirror] b()",
    ]],
    [sharesOf([ref("a", 1, EXTENSION), ref("b", 2)]), ["rest [] a(ExtensionRef) b()"]],
    [sharesOf([ref("a", 1, HOST), ref("b")], [], {}), ["rest [] a(URLRewrite) b()"]],
  ];
  for (const [shares, expected] of cases) assert.deepEqual(shares, expected);
});

Deno.test("filters of backends that cannot be applied have a reason", () => {
  const reason = (one: Init, filters: Init[] = [], sessionPersistence?: object, more = 0) => {
    const own = ref("a", 1, one);
    const others = Array.from({ length: more }, (_, i) => ref(`b${i}`));
    return backendFault({
      filters: filters as AnyFilter[],
      backendRefs: [own, ...others],
      ...(sessionPersistence && { sessionPersistence }),
    }, own)?.reason;
  };
  assert.equal(reason(HOST), undefined);
  assert.equal(reason(HEADERS, [REDIRECT]), undefined);
  assert.equal(reason(MIRROR, [MIRROR]), undefined);
  assert.equal(reason(EXTENSION), "UnsupportedValue");
  assert.equal(reason({ type: "ExternalAuth", externalAuth: {} }), "UnsupportedValue");
  assert.equal(reason(HOST, [HOST]), "IncompatibleFilters");
  assert.equal(reason(HOST, [REDIRECT]), "IncompatibleFilters");
  assert.equal(reason(HOST, [], {}), undefined);
  assert.equal(reason(HOST, [], {}, 1), "UnsupportedValue");
});
