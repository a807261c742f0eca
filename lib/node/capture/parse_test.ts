import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { type CaptureInput, parseCapture } from "./parse.ts";
import { planCapture } from "./plan.ts";
import { checkWord, restoreText } from "./render.ts";
import { HOST, INPUT } from "./testing.ts";

/** Texts that would mean something to a shell or to iptables-restore. */
const HOSTILE: readonly string[] = [
  "10.0.0.0/8; reboot",
  "$(reboot)",
  "`reboot`",
  "10.0.0.0/8\n-A OUTPUT -j DROP",
  "10.0.0.0/8 -j ACCEPT",
  "-j",
  "--modprobe=/tmp/x",
  "a\0b",
  '"quoted"',
  "../../etc/passwd",
  "１０.0.0.0/8",
  "x".repeat(100_000),
];

const FIELDS: readonly (keyof CaptureInput)[] = [
  "outboundPort",
  "inboundPort",
  "tunnelPort",
  "mode",
  "mark",
  "routeTable",
  "uids",
  "gids",
  "inboundPorts",
  "inboundPortsExclude",
  "outboundPorts",
  "outboundPortsExclude",
  "ranges",
  "rangesExclude",
  "groups",
  "virtualInterfaces",
  "excludeInterfaces",
  "loopback",
];

for (const field of FIELDS) {
  Deno.test(`capture: hostile texts of ${field} are refused`, () => {
    for (const text of HOSTILE) {
      assert.throws(
        () => parseCapture({ ...INPUT, [field]: text }, HOST),
        (error: unknown) => {
          assert.ok(error instanceof MeshError && error.code === "capture-setting", text);
          assert.ok(error.message.length < 200 && error.remedy, error.message);
          return true;
        },
      );
    }
  });
}

Deno.test("capture: groupsExclude is checked when all groups are captured", () => {
  assert.throws(() => parseCapture({ ...INPUT, groupsExclude: "a b" }, HOST), {
    code: "capture-setting",
  });
});

const WRONG: readonly [keyof CaptureInput, string][] = [
  ["outboundPort", "0"],
  ["outboundPort", "65536"],
  ["outboundPort", "1e3"],
  ["outboundPort", ""],
  ["inboundPorts", "80,*"],
  ["inboundPorts", "80-90"],
  ["ranges", "10.0.0.0/33"],
  ["ranges", "*,10.0.0.0/8"],
  ["ranges", "2001:db8::/129"],
  ["rangesExclude", "*"],
  ["uids", "4294967296"],
  ["uids", "-1"],
  ["mode", "NONE"],
  ["mark", "0"],
  ["excludeInterfaces", "a-name-of-sixteen"],
  ["loopback", "::1/128"],
];

for (const [field, text] of WRONG) {
  Deno.test(`capture: ${field}=${text} is refused`, () => {
    assert.throws(() => parseCapture({ ...INPUT, [field]: text }, HOST), {
      code: "capture-setting",
    });
  });
}

Deno.test("capture: lists tolerate blanks and empty entries", () => {
  const settings = parseCapture({
    ...INPUT,
    inboundPorts: " 80, ,443,",
    ranges: "10.0.0.1, 2001:db8::1",
  }, HOST);
  assert.deepEqual(settings.inbound, [80, 443]);
  assert.deepEqual(settings.ranges, ["10.0.0.1/32", "2001:db8::1/128"]);
});

Deno.test("capture: ids come from the flags, then the proxy's user, then 1337", () => {
  const ids = (input: Partial<CaptureInput>, host: Partial<typeof HOST> = {}) => {
    const { uids, gids } = parseCapture({ ...INPUT, ...input }, { ...HOST, ...host });
    return [uids, gids];
  };
  const proxyUser = { uid: "501", gid: "20" };
  assert.deepEqual(ids({}), [["1337"], ["1337"]]);
  assert.deepEqual(ids({}, { proxyUser }), [["501"], ["20"]]);
  assert.deepEqual(ids({ uids: "3,4" }, { proxyUser }), [["3", "4"], ["20"]]);
  const groups = new Map([["staff", "50"]]);
  assert.deepEqual(ids({ gids: "staff,ghost" }, { groups })[1], ["50", "ghost"]);
});

Deno.test("capture: IPv6 is captured on a host without IPv4, or with dual stack", () => {
  const captured = (ipv4: boolean, ipv6: boolean, dualStack: boolean) =>
    planCapture(parseCapture({ ...INPUT, dualStack }, { ...HOST, ipv4, ipv6 }))
      .families.map(({ family }) => family);
  assert.deepEqual(captured(true, false, true), [4]);
  assert.deepEqual(captured(true, true, false), [4]);
  assert.deepEqual(captured(true, true, true), [4, 6]);
  assert.deepEqual(captured(false, true, false), [4, 6]);
});

Deno.test("capture: a word that iptables-restore could misread is never rendered", () => {
  for (const word of ["a b", "a\n", "", '"', "a'b", "a\\b", "\u00e9"]) {
    assert.throws(() => checkWord(word), { code: "capture-word" });
  }
  const [plan] = planCapture(parseCapture(INPUT, HOST)).families;
  const forged = plan!.rules.map((rule) => ({
    ...rule,
    matches: [{ kind: "in", device: "eth0 -j ACCEPT" } as const],
  }));
  assert.throws(() => restoreText({ family: 4, rules: forged }), { code: "capture-word" });
});
