import assert from "node:assert/strict";
import fc from "fast-check";
import { compileRegex } from "../../../kit/text/mod.ts";
import { disguisedHost } from "./hosts.ts";
import { disguisedMatch } from "./paths.ts";
import { quote, quoteWildcards, textMatch } from "./text.ts";
import { issuerAndSubject } from "./tokens.ts";
import { inEveryDomain } from "./trust_domains.ts";

function matches(source: string, text: string): boolean {
  const regex = compileRegex(source);
  assert.ok(typeof regex !== "string", `${source}: ${regex}`);
  return regex.matchesAll(text);
}

function regexOf(path: string): string {
  const value = disguisedMatch(path)?.rule;
  const pattern = value?.case === "path" ? value.value.matchPattern : undefined;
  assert.equal(pattern?.case, "safeRegex");
  return pattern?.case === "safeRegex" ? pattern.value.regex : "";
}

Deno.test("paths: other ways to write them", () => {
  const cases: readonly (readonly [path: string, same: string[], other: string[]])[] = [
    ["/a/b", ["/a//b", "/a%2fb", "/a;x/b", "/a/b;x", "/a%5Cb", "/a;x=%2f//b"], ["/a/bc", "/ab"]],
    ["/a/*", ["/a//", "/a%2Fx", "/a;v/x/y"], ["/a", "/ab/c"]],
    ["*.jsp", ["/x.jsp;session=1", "/a/b.jsp"], ["/x.jspx", "/xjsp"]],
    ["/{*}/b", ["/a//b", "/a;x/b"], ["/a/c/b", "/b"]],
    ["/a/{**}", ["/a//b/c", "/a%2fb"], ["/b/a"]],
    ["/a.b", ["/a.b;x"], ["/aXb"]],
  ];
  for (const [path, same, other] of cases) {
    const regex = regexOf(path);
    for (const text of same) assert.ok(matches(regex, text), `${path}: ${text}`);
    for (const text of other) assert.ok(!matches(regex, text), `${path}: ${text}`);
  }
  assert.equal(disguisedMatch("*"), undefined);
});

Deno.test("paths: every path is among its own disguises, and every expression is RE2's", () => {
  const path = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 20 })
    .filter((text) => !/[*{}\n\r]/.test(text)).map((text) => `/${text}`);
  fc.assert(fc.property(path, (text) => assert.ok(matches(regexOf(text), text), text)));
});

Deno.test("hosts: with a port, a final dot, in capitals", () => {
  const regexes = (host: string): string => {
    const value = disguisedHost(host)?.headerMatchSpecifier;
    const pattern = value?.case === "stringMatch" ? value.value.matchPattern : undefined;
    return pattern?.case === "safeRegex" ? pattern.value.regex : "";
  };
  for (const text of ["a.b:80", "A.B.", "a.b.:1", "a.b:"]) {
    assert.ok(matches(regexes("a.b"), text), text);
    assert.ok(matches(regexes("*.b"), text), text);
  }
  for (const text of ["aXb:80", "x.a.b", "a.b.c"]) assert.ok(!matches(regexes("a.b"), text), text);
  for (const host of ["a.b:80", "a.*", "*"]) assert.equal(disguisedHost(host), undefined, host);
});

Deno.test("principals: a wildcard stands for a part of a SPIFFE identity", () => {
  const of = (value: string) => textMatch(value, "spiffe://").matchPattern;
  const suffix = of("*/sa/a.b");
  assert.equal(suffix.case, "safeRegex");
  const { regex } = suffix.value as { regex: string };
  assert.ok(matches(regex, "spiffe://mesh/ns/one/sa/a.b"));
  for (const name of ["/sa/a.b", "CN=x/sa/a.b", "spiffe://mesh/ns/one/sa/aXb"]) {
    assert.ok(!matches(regex, name), name);
  }
  assert.deepEqual(of("mesh/ns/*"), { case: "prefix", value: "spiffe://mesh/ns/" });
  assert.deepEqual(of("mesh/ns/a"), { case: "exact", value: "spiffe://mesh/ns/a" });
  const any = of("*");
  assert.ok(any.case === "safeRegex" && matches(any.value.regex, "CN=anyone"));
});

Deno.test("names are no patterns", () => {
  fc.assert(fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
    fc.pre(!/[\n\r]/.test(a + b) && !a.includes("*"));
    assert.equal(matches(quote(a), b), a === b);
    assert.equal(matches(quoteWildcards(a), b), a === b);
  }));
  assert.ok(matches(quoteWildcards("a.*"), "a.b"));
  assert.ok(!matches(quoteWildcards("a.*"), "aXb"));
});

Deno.test("trust domains: a principal of the mesh is one of each of its names", () => {
  const domains = ["td1", "cluster.local", "old-td"];
  const cases: readonly (readonly [string, string[]])[] = [
    ["td1/ns/a/sa/b", ["td1/ns/a/sa/b", "cluster.local/ns/a/sa/b", "old-td/ns/a/sa/b"]],
    ["cluster.local/ns/a/sa/b", ["td1/ns/a/sa/b", "cluster.local/ns/a/sa/b", "old-td/ns/a/sa/b"]],
    ["other/ns/a/sa/b", ["other/ns/a/sa/b"]],
    ["*/ns/a/sa/b", ["*/ns/a/sa/b"]],
    ["*-td/ns/a/sa/b", ["td1/ns/a/sa/b", "cluster.local/ns/a/sa/b", "*-td/ns/a/sa/b"]],
    ["*", ["*"]],
    ["td1/x", ["td1/x"]],
    ["td1/ns/a/*", ["td1/ns/a/*", "cluster.local/ns/a/*", "old-td/ns/a/*"]],
    ["td1/*", ["td1/*", "cluster.local/*", "old-td/*"]],
    ["td1*", ["td1*"]],
    ["other/ns/*", ["other/ns/*"]],
  ];
  for (const [principal, expected] of cases) {
    assert.deepEqual(inEveryDomain([principal], domains), expected, principal);
  }
});

Deno.test("request principals: issuer and subject, part by the last slash", () => {
  const shown = (text: string): string[] =>
    issuerAndSubject(text).map(({ matchPattern: { case: kind, value } }) =>
      `${kind} ${
        typeof value === "string"
          ? value
          : value !== undefined && "regex" in value
          ? value.regex
          : ""
      }`
    );
  const cases: readonly (readonly [string, string[]])[] = [
    ["https://a/b", ["exact https://a", "exact b"]],
    ["a", ["exact a", "exact "]],
    ["*", ["safeRegex .+", "safeRegex .+"]],
    ["a/*", ["exact a", "safeRegex .+"]],
    ["a/b*", ["exact a", "prefix b"]],
    ["*/b", ["safeRegex .+", "exact b"]],
    ["*b", ["safeRegex .+", "suffix b"]],
    ["a*", ["prefix a", "safeRegex .+"]],
  ];
  for (const [text, expected] of cases) assert.deepEqual(shown(text), expected, text);
});
