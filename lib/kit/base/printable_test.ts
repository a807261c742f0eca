import assert from "node:assert/strict";
import { assertNever } from "./assert_never.ts";
import { buildLine } from "./build.ts";
import { messageOf } from "./error.ts";
import { printable } from "./printable.ts";

Deno.test("printable writes out what could forge a line or steer a terminal", () => {
  assert.equal(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  assert.equal(printable("\u001b[31mred\u202etxt\u009b"), "\\u{1b}[31mred\\u{202e}txt\\u{9b}");
  assert.equal(printable("plain é 漢"), "plain é 漢");
});

Deno.test("assertNever names the value that got past the types", () => {
  assert.throws(() => assertNever("later" as never), /"later"/);
});

Deno.test("messageOf takes any thrown value", () => {
  assert.equal(messageOf(new Error("sentence")), "sentence");
  assert.equal(messageOf("text"), "text");
});

Deno.test("buildLine has the form version-revision-status", () => {
  const build = { version: "1.2.3", revision: "abc", status: "Clean", tag: "1.2.3" };
  assert.equal(buildLine(build), "1.2.3-abc-Clean");
});
