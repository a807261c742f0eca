import assert from "node:assert/strict";
import ipaddr from "ipaddr.js";
import {
  canonicalIp,
  compileRegex,
  decodeUtf8,
  isCidr,
  isDnsLabel,
  isDnsSubdomain,
  isFqdn,
  isIp,
  isIpv4,
  isIpv6,
  isWildcardHost,
  labelKeyFault,
  labelValueFault,
  nearest,
  parseCidr,
  regexFault,
} from "./mod.ts";

Deno.test("utf8: the first bad byte is named", () => {
  const text = (s: string) => [...new TextEncoder().encode(s)];
  const cases: [number[], number][] = [
    [[0xff], 0],
    [[...text("aé€😀"), 0x80], 10],
    [[...text("a"), 0xc3], 1],
    [[...text("ab"), 0xc0, 0x80], 2],
    [[0xed, 0xa0, 0x80], 0],
    [[0xf4, 0x90, 0x80, 0x80], 0],
    [[0xfe, 0xff, 0, 0x61], 0],
  ];
  for (const [bytes, offset] of cases) {
    assert.throws(() => decodeUtf8(new Uint8Array(bytes)), {
      code: "text-not-utf8",
      message: new RegExp(`byte ${offset} `),
    });
  }
  assert.equal(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, ...text("aé€😀")])), "aé€😀");
});

Deno.test("regex: RE2 syntax, linear time", () => {
  for (const bad of ["(?=x)", "(x)\\1", "[", "x*+", "(?<=a)b"]) {
    assert.equal(typeof regexFault(bad), "string", bad);
  }
  const regex = compileRegex("(a+)+b");
  assert.ok(typeof regex !== "string");
  const start = performance.now();
  assert.equal(regex.matchesAll("a".repeat(20_000)), false);
  assert.ok(performance.now() - start < 10_000);
  assert.equal(regex.matchesAll("aab"), true);
  assert.equal(regex.matchesAll("aabc"), false);
  assert.equal(regex.matchesPart("xaabc"), true);
});

Deno.test("regex: an expression that would grow too large is refused by its text", () => {
  const cases: [string, RegExp | undefined][] = [
    ["a{1,1000}", undefined],
    ["(a{1,100}b){1,10}", undefined],
    ["[{1,999}]{3}\\{5{2}\\Q{1,999}\\E", undefined],
    ["(a{1,100}){1,100}", /nested/],
    ["(((a{50}){10})b){1,3}", /nested/],
    ["a{1001}", /above 1000/],
    ["a{1,1000}".repeat(40), /40040 steps/],
    ["a".repeat(1025), /1025 characters/],
    [`(${"x{500}".repeat(100)}`, /parenthesis|missing/i],
  ];
  for (const [source, fault] of cases) {
    const verdict = regexFault(source);
    if (fault === undefined) assert.equal(verdict, undefined, source);
    else assert.match(verdict ?? "", fault, source);
    // Cached results are equal.
    assert.equal(regexFault(source), verdict);
  }
});

type Check = (text: string) => boolean;

Deno.test("addresses and names: accepted and refused forms", () => {
  const cases: [string, Check, string[], string[]][] = [
    ["IPv4", isIpv4, ["1.2.3.4"], ["01.2.3.4", "1.2.3", "1.2.3.256", "::1", ""]],
    ["IPv6", isIpv6, ["::", "001:db8::", "::ffff:1.2.3.4"], ["fe80::1%eth0", "[::1]", "1.2.3.4"]],
    ["IP", isIp, ["1.2.3.4", "::1"], ["a.b", "1.2.3.4/8"]],
    ["CIDR", isCidr, ["10.0.0.0/8", "::/0"], [
      "10.0.0.0/33",
      "10.0.0.0",
      "::/129",
      "a/8",
      "1.2.3.4/",
    ]],
    ["label", isDnsLabel, ["a", "a-1"], ["", "A", "-a", "a-", "a.b", "a".repeat(64)]],
    ["subdomain", isDnsSubdomain, ["a", "a-1.b"], ["", "a..b", "A", "a_b", "a".repeat(254)]],
    ["host", isFqdn, ["a", "A.b.", "1.2.3.4", "a-b.c"], ["*", "", "a..b", "a_b.c", "-a.b", "a b"]],
    ["wildcard", isWildcardHost, ["*", "*.a", "*x", "*-a.b", "a.b"], [
      "a.*.b",
      "**",
      "*.",
      "*.*.a",
      "",
    ]],
  ];
  for (const [name, check, good, bad] of cases) {
    for (const text of good) assert.equal(check(text), true, `${name}: ${text}`);
    for (const text of bad) assert.equal(check(text), false, `${name}: ${text}`);
  }
});

Deno.test("addresses: canonical forms", () => {
  assert.equal(canonicalIp("2001:DB8:0:0::1"), "2001:db8::1");
  assert.equal(canonicalIp("1.2.3.4"), "1.2.3.4");
  assert.deepEqual(parseCidr("10.1.2.3/8"), { address: "10.0.0.0", bits: 8, family: 4 });
  assert.deepEqual(parseCidr("2001:db8::1/32"), { address: "2001:db8::", bits: 32, family: 6 });
});

Deno.test("IPv4 addresses and ranges: read as another library reads them", () => {
  const parts = ["0", "1", "9", "00", "01", "10", "99", "100", "199", "249", "255", "256", "300"];
  const odd = ["", " 1", "1 ", "a", "-1", "+1", "0x1", "1e1", "１"];
  const texts = [...parts, ...odd].flatMap((part) => [
    ...[0, 1, 2, 3].map((at) => ["10", "2", "30", "4"].with(at, part).join(".")),
    `1.2.3.4.${part}`,
    `1.2.${part}`,
    `1.2.3.4${part}`,
    `${part}.1.2.3.4`,
  ]);
  for (const text of [...texts, ".", "...", "1.2.3.", ".1.2.3", "1..2.3", "4294967295"]) {
    assert.equal(isIpv4(text), ipaddr.IPv4.isValidFourPartDecimal(text), JSON.stringify(text));
  }
  for (const address of ["255.254.253.252", "0.0.0.1", "128.64.32.16"]) {
    for (let bits = 0; bits <= 32; bits++) {
      const first = ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`).toString();
      assert.deepEqual(parseCidr(`${address}/${bits}`), { address: first, bits, family: 4 });
    }
  }
});

Deno.test("labels: keys and values", () => {
  for (const key of ["app", "a.b/c_d", "x".repeat(63)]) {
    assert.equal(labelKeyFault(key), undefined, key);
  }
  for (const key of ["", "a/b/c", "/a", "a/", "-a", "x".repeat(64), "A_B/c", "a b"]) {
    assert.notEqual(labelKeyFault(key), undefined, key);
  }
  for (const value of ["", "v1", "A_b.c-d"]) assert.equal(labelValueFault(value), undefined, value);
  for (const value of ["-a", "a b", "x".repeat(64), "a/b"]) {
    assert.notEqual(labelValueFault(value), undefined, value);
  }
});

Deno.test("nearest: only similar words", () => {
  const names = ["weight", "destination", "headers", "timeout"];
  const cases: [string, string | undefined][] = [
    ["wieght", "weight"],
    ["destinations", "destination"],
    ["Timeout", "timeout"],
    ["hdrs", undefined],
    ["x", undefined],
  ];
  for (const [word, name] of cases) assert.equal(nearest(word, names), name, word);
});
