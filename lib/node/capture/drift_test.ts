import assert from "node:assert/strict";
import { canonicalRule } from "./canonical.ts";
import { compare, removalText, replacementText } from "./drift.ts";
import { planCapture } from "./plan.ts";
import { savedText } from "./render.ts";
import type { FamilyPlan } from "./rule.ts";
import { hasRules, parseSaved } from "./saved.ts";
import { captureAll } from "./testing.ts";

const SAVED: readonly [planned: string, printed: string][] = [
  ["-p tcp --dport 80 -j RETURN", "-p tcp -m tcp --dport 80 -j RETURN"],
  ["-d 10.1.2.3/8 -j RETURN", "-d 10.0.0.0/8 -j RETURN"],
  ["-o lo ! -d 127.0.0.1/32 -j RETURN", "! -d 127.0.0.1/32 -o lo -j RETURN"],
  ["-j MARK --set-mark 1337", "-j MARK --set-xmark 0x539/0xffffffff"],
  ["-m mark ! --mark 1338 -j RETURN", "-m mark ! --mark 0x53a -j RETURN"],
  [
    "-j CONNMARK --save-mark",
    "-j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff",
  ],
  [
    "-p tcp -j TPROXY --tproxy-mark 1337/0xffffffff --on-port 15006",
    "-p tcp -j TPROXY --on-port 15006 --on-ip 0.0.0.0 --tproxy-mark 0x539/0xffffffff",
  ],
  ["-p udp -j REDIRECT --to-port 15053", "-p udp -j REDIRECT --to-ports 15053"],
];

for (const [planned, printed] of SAVED) {
  Deno.test(`"${printed}" is recognised as "${planned}"`, () => {
    assert.equal(canonicalRule(printed.split(" ")), canonicalRule(planned.split(" ")));
  });
}

Deno.test("rules that differ have different canonical forms", () => {
  const forms = ["-d 10.0.0.0/8 -j RETURN", "! -d 10.0.0.0/8 -j RETURN", "-s 10.0.0.0/8 -j RETURN"]
    .concat("-d 10.0.0.0/9 -j RETURN", "-d 10.0.0.0/8 -j ACCEPT")
    .concat("-j MARK --set-mark 1337", "-j MARK --set-mark 1338", "-m mark --mark 1337 -j ACCEPT");
  assert.equal(new Set(forms.map((text) => canonicalRule(text.split(" ")))).size, forms.length);
});

const PLAN = planCapture(captureAll({ dns: true, excludeInterfaces: "eth9" })).families[0]!;
const OTHERS = "*nat\n:KUBE-SERVICES - [0:0]\n-A OUTPUT -j KUBE-SERVICES\n" +
  '-A PREROUTING -m comment --comment "a \\"quoted\\" text" -j KUBE-SERVICES\nCOMMIT\n';

/** The plan with rules of another program in the same chains. */
function mixed(plan: FamilyPlan): string {
  return savedText(plan).replace(
    "*nat\n",
    "*nat\n:KUBE-SERVICES - [0:0]\n-A OUTPUT -j KUBE-SERVICES\n-A PREROUTING -i eth0 -j KUBE-SERVICES\n",
  );
}

Deno.test("a plan that is in place has no differences, beside rules of others", () => {
  for (const text of [savedText(PLAN), mixed(PLAN)]) {
    assert.deepEqual(compare(PLAN, parseSaved(text)), { present: true, differences: [] });
  }
});

Deno.test("a host without rules of Mesh has none present", () => {
  for (const text of ["", OTHERS]) {
    const { present, differences } = compare(PLAN, parseSaved(text));
    assert.equal(present, false);
    assert.ok(differences.length > 0);
    assert.equal(removalText(PLAN, parseSaved(text)), "");
  }
});

const EDITS: readonly [what: string, edit: (text: string) => string, says: RegExp][] = [
  [
    "a rule is missing",
    (t) => t.replace("-A MESH_OUTPUT -d 127.0.0.1/32 -j RETURN\n", ""),
    /lacks/,
  ],
  [
    "a rule was added",
    (t) => t.replace("COMMIT", "-A MESH_OUTPUT -j ACCEPT\nCOMMIT"),
    /not in the plan/,
  ],
  ["a port differs", (t) => t.replace("15006", "15007"), /lacks.*15006/],
  [
    "a jump is missing",
    (t) => t.replace("-A OUTPUT -p tcp -j MESH_OUTPUT\n", ""),
    /chain OUTPUT.*lacks/,
  ],
  [
    "a jump is there twice",
    (t) => t.replace(/(-A OUTPUT -p tcp -j MESH_OUTPUT\n)/, "$1$1"),
    /more than once/,
  ],
  [
    "the order differs",
    (t) => t.replace(/(-A MESH_OUTPUT .*\n)(-A MESH_OUTPUT .*\n)/, "$2$1"),
    /another order/,
  ],
  [
    "a chain of another mode",
    (t) => t.replace("*nat\n", "*nat\n:MESH_DROP - [0:0]\n"),
    /MESH_DROP/,
  ],
];

for (const [what, edit, says] of EDITS) {
  Deno.test(`drift: ${what}`, () => {
    const text = savedText(PLAN);
    const edited = edit(text);
    assert.notEqual(edited, text);
    const { present, differences } = compare(PLAN, parseSaved(edited));
    assert.ok(present);
    assert.match(differences.join("\n"), says);
  });
}

Deno.test("removal takes what belongs to Mesh, and nothing else", () => {
  const text = removalText(PLAN, parseSaved(mixed(PLAN)));
  assert.doesNotMatch(text, /KUBE/);
  const jump = "-D OUTPUT -p tcp -j MESH_OUTPUT\n";
  assert.ok(text.includes(jump) && text.includes("-X MESH_OUTPUT\n"), text);
  assert.ok(text.includes("-D PREROUTING -i eth9 -j RETURN\n"));
  assert.ok(text.indexOf("-F MESH_REDIRECT") < text.indexOf("-X MESH_REDIRECT"));
});

Deno.test("replacement removes tables that the plan has no use for", () => {
  const before = planCapture(captureAll({ mode: "TPROXY" })).families[0]!;
  const text = replacementText(PLAN, parseSaved(savedText(before)));
  assert.match(text, /\* mangle\n(-D .*\n)*(-F .*\n)+(-X .*\n)+COMMIT/);
});

Deno.test("tables with nothing but chains of the kernel count as empty", () => {
  assert.equal(hasRules(parseSaved("*nat\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n")), false);
  assert.equal(hasRules(parseSaved(OTHERS)), true);
});
