import assert from "node:assert/strict";
import {
  changeScope,
  configureLogging,
  scope,
  scopeState,
  scopeStates,
} from "../../kit/log/mod.ts";
import { ask, type Facility, withFacility } from "../../../tests/support/introspection_fixture.ts";

/** Runs with logging to a file, and returns its content. */
async function logged(act: (facility: Facility) => Promise<void>): Promise<string> {
  const file = await Deno.makeTempFile();
  const end = configureLogging({ targets: [file], outputLevel: "delta:warn" });
  try {
    await withFacility(act);
  } finally {
    end();
  }
  const text = await Deno.readTextFile(file);
  await Deno.remove(file);
  return text;
}

const put = (facility: Facility, name: string, body: unknown) =>
  ask(facility, `PUT /scopej/${encodeURIComponent(name)}`, {
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

Deno.test("/scopej lists every scope; /scopej/NAME shows one, also with a space in it", async () => {
  await logged(async (facility) => {
    for (const path of ["/scopej", "/scopej/"]) {
      const list = JSON.parse((await ask(facility, `GET ${path}`)).body);
      assert.deepEqual(list.map((s: { name: string }) => s.name), scopeStates().map((s) => s.name));
      assert.deepEqual(list.find((s: { name: string }) => s.name === "delta"), {
        name: "delta",
        description: scopeState("delta")?.description,
        output_level: "warn",
        stack_trace_level: "none",
        log_callers: false,
      });
    }
    const one = JSON.parse((await ask(facility, "GET /scopej/ingress%20status")).body);
    assert.deepEqual([one.name, one.output_level], ["ingress status", "info"]);
    const unknown = await ask(facility, "GET /scopej/nosuch");
    assert.deepEqual([unknown.status, unknown.body], [400, "there is no scope nosuch\n"]);
  });
});

Deno.test("PUT /scopej/NAME acts on the next message, and what it leaves out stays", async () => {
  const log = scope("ads");
  const text = await logged(async (facility) => {
    log.debug("before");
    const whole = JSON.parse((await ask(facility, "GET /scopej/ads")).body);
    const answer = await put(facility, "ads", { ...whole, output_level: "debug" });
    assert.deepEqual([answer.status, answer.body], [202, ""]);
    log.debug("during");
    assert.equal((await put(facility, "ads", { log_callers: true })).status, 202);
    log.debug("with caller");
    assert.equal((await put(facility, "ads", { stack_trace_level: "error" })).status, 202);
    log.error("with trace");
    assert.equal((await put(facility, "ads", { output_level: "none" })).status, 202);
    log.error("after");
  });
  assert.doesNotMatch(text, /\tbefore|\tafter/);
  assert.match(text, /\tdebug\tads\tduring\n/);
  assert.match(text, /\tdebug\tads\tscopes_test\.ts:\d+\twith caller\n/);
  assert.match(text, /\twith trace\n\t.*scopes_test\.ts/);
  assert.match(text, /\tinfo\tdefault\ta scope was changed\tname=ads output_level=debug/);
});

const WRONG: readonly [name: string, scope: string, body: unknown, says: RegExp][] = [
  ["an unknown scope", "nosuch", { output_level: "debug" }, /no scope "nosuch"\. The scopes are: /],
  ["all, which is no scope", "all", { output_level: "debug" }, /no scope "all"/],
  ["a body that is not JSON", "ads", "{output_level", /not JSON/],
  ["an empty body", "ads", "", /not JSON/],
  ["an array", "ads", [], /not a JSON object/],
  ["null", "ads", "null", /not a JSON object/],
  ["an unknown level", "ads", { output_level: "loud" }, /"loud".*debug, info, warn, error, fatal/],
  ["a level of another type", "ads", { stack_trace_level: 3 }, /stack_trace_level is 3/],
  ["a flag of another type", "ads", { log_callers: "yes" }, /log_callers/],
  ["another scope's body", "ads", { name: "delta", output_level: "debug" }, /another scope/],
];

for (const [name, target, body, says] of WRONG) {
  Deno.test(`PUT /scopej refuses ${name}`, async () => {
    await logged(async (facility) => {
      const before = scopeState("ads");
      const answer = await put(facility, target, body);
      assert.equal(answer.status, 400);
      assert.match(answer.body, says);
      assert.deepEqual(scopeState("ads"), before);
    });
  });
}

Deno.test("the page of a scope has a form that changes it", async () => {
  await logged(async (facility) => {
    const list = await ask(facility, "GET /scopez/");
    assert.match(list.body, /<a href="\/scopez\/ingress%20status">ingress status<\/a>/);
    changeScope("ads", { outputLevel: "warn", logCallers: true });
    const form = await ask(facility, "GET /scopez/ads");
    assert.match(form.body, /<form method="post" action="\/scopez\/ads">/);
    assert.match(form.body, /<option selected>warn<\/option>/);
    assert.match(form.body, /<input type="checkbox" name="log_callers" checked\/?>/);
    const body = new URLSearchParams({ output_level: "debug", stack_trace_level: "error" });
    const sent = await ask(facility, "POST /scopez/ads", { body });
    assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/scopez/"]);
    const { outputLevel, stackTraceLevel, logCallers } = scopeState("ads")!;
    assert.deepEqual([outputLevel, stackTraceLevel, logCallers], ["debug", "error", false]);
    const wrong = new URLSearchParams({ output_level: "loud" });
    assert.equal((await ask(facility, "POST /scopez/ads", { body: wrong })).status, 400);
    assert.equal((await ask(facility, "GET /scopez/nosuch")).status, 400);
  });
});

Deno.test("names are escaped where they are shown", async () => {
  const nasty = `<script>alert("1")</script>`;
  scope(nasty);
  await logged(async (facility) => {
    for (const path of ["/scopez/", `/scopez/${encodeURIComponent(nasty)}`, "/homez/"]) {
      const { status, body } = await ask(facility, `GET ${path}`);
      assert.equal(status, 200);
      assert.doesNotMatch(body, /<script|<program/);
      assert.match(body, /&lt;(script|program)/);
    }
  });
});
