/**
 * Incidents with real Envoys: requests fail after an edit, and `meshctl incident` and the page of the
 * daemon name object, edit and remedy, from a command line and from lines of access logs.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { call, eventually } from "../../scripts/harness/mod.ts";
import { runInProcess } from "../support/program_run.ts";
import { CASES, type IncidentCase } from "./incidents/cases.ts";
import { CLIENT, type SecurityWorld, startSecurityWorld } from "./security/world.ts";

const PAGE = Deno.readTextFileSync(new URL("../../docs/incidents.md", import.meta.url));

/** Runs the command on evidence. */
async function incident({ daemon }: SecurityWorld, evidence: string, ...more: string[]) {
  const address = new URL(daemon.http).host;
  const [out, err, status] = await runInProcess(MESHCTL, [
    ...["incident", evidence, "--daemon", address],
    ...more,
  ]);
  return { out, err, status };
}

/** The answer about a request of the client, when all proxies have accepted what they were sent. */
async function settled(world: SecurityWorld, evidence: string) {
  return await eventually("proxies that have accepted everything", async () => {
    const answer = await incident(world, evidence, "--from", "web.web");
    return answer.out.includes("has not accepted yet") ? false : answer;
  });
}

/** The page, without tags. */
async function pageOf({ daemon }: SecurityWorld, evidence: string, from: string): Promise<string> {
  const query = new URLSearchParams({ text: evidence, from });
  const answer = await fetch(`${daemon.http}/debug/incident?${query}`, {
    headers: { accept: "text/html" },
  });
  const text = (await answer.text()).replace(/<[^>]*>/g, "");
  assert.equal(answer.status, 200, text);
  return text;
}

Deno.test("the page of incidents has those of the cases", () => {
  const titles = [...PAGE.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
  assert.deepEqual(titles, CASES.map(({ title }) => title));
});

Deno.test("incidents are answered by command and page", async (t) => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-incidents-" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const log = `${dir}/access.log`;
  const world = stack.use(
    await startSecurityWorld({ meshConfig: { accessLogFile: log }, accounts: true }),
  );
  for (const one of CASES) await t.step(one.title, () => check(world, one, log));
  await t.step("a request of earlier, and other evidence", () => others(world, log));
  await t.step("JSON lines, as the answer", () => jsonForm(world));
  await t.step("a killed Envoy is no decision of the configuration", () => killed(world, log));
});

/** The built-in JSON form has the same fields as the text form. */
async function jsonForm(world: SecurityWorld): Promise<void> {
  const line = JSON.stringify({
    ...{ start_time: new Date().toISOString(), method: "GET", path: "/", protocol: "HTTP/1.1" },
    ...{ response_code: 200, response_flags: "-", upstream_cluster: null },
    authority: `shop.test:${world.http}`,
  });
  const { out, err } = await incident(world, line, "--from", "web.web", "-o", "json");
  const { evidence, outcome, agrees } = JSON.parse(out || err);
  assert.deepEqual([evidence.form, outcome, agrees], ["access log (JSON)", "allowed", true]);
}

/** Envoy of the server ends; nothing in the configuration refuses the request. */
async function killed(world: SecurityWorld, log: string): Promise<void> {
  await (await fetch(`${world.server.admin}/quitquitquit`, { method: "POST" })).body?.cancel();
  const host = `shop.test:${world.http}`;
  const begin = (await Deno.readTextFile(log)).length;
  await eventually(
    "status 503",
    async () => (await call(`http://${CLIENT}:${world.http}/`, { host })).status === 503,
  );
  const line = await eventually(
    "a line of the access log",
    async () =>
      (await Deno.readTextFile(log)).slice(begin).split("\n").findLast((text) =>
        text.includes('" 503 ') && text.includes("HTTP/1.1")
      ) ?? false,
  );
  const { out, err, status } = await incident(world, line, "--from", "web.web");
  assert.notEqual(status, 1, out);
  assert.match(out, /^seen .* status 503 .*UF: the connection to the upstream failed/m, err);
  assert.match(out, /the reason of the status 503: nothing in the configuration refuses|UNKNOWN/);
  assert.doesNotMatch(out, /Made so by|Undone by/);
}

/** Each line of the page is one of the answer; `…` stands for any text. */
function comparePage(title: string, out: string): void {
  const section = PAGE.slice(PAGE.indexOf(`### ${title}\n`));
  const lines = /```text\n([^]*?)```/.exec(section)![1]!.trimEnd().split("\n");
  const found = out.split("\n");
  for (const line of lines) {
    const parts = line.split("…").map((part) => part.replace(/[\\^$*+?.()|[\]{}]/g, "\\$&"));
    const pattern = new RegExp(`^${parts.join(".*")}$`);
    assert.ok(found.some((one) => pattern.test(one)), `${line}\nis not in:\n${out}`);
  }
}

async function check(world: SecurityWorld, one: IncidentCase, log: string): Promise<void> {
  const { path = "/", headers = {}, status } = one;
  const url = `http://${CLIENT}:${world.http}${path}`;
  const host = `shop.test:${world.http}`;
  const send = async () => (await call(url, { host, headers })).status;
  await world.apply(...one.before ?? []);
  if (one.headers === undefined) await eventually("success", async () => await send() === 200);
  await world.apply(...one.after);
  const begin = (await Deno.readTextFile(log)).length;
  await eventually(`status ${status}`, async () => await send() === status);
  const given = Object.entries(headers).map(([name, value]) => ` -H '${name}: ${value}'`).join("");
  const curl = `curl${given} http://${host}${path}`;
  const asked = await settled(world, curl);
  for (const expected of one.says) assert.match(asked.out, expected, asked.err);
  assert.equal(asked.status, one.exit ?? 1);
  comparePage(one.title, asked.out);
  const page = await pageOf(world, curl, "web.web");
  assert.match(page, /Deciding objects/);
  if (one.headers !== undefined) return;
  // The line of the client's proxy.
  const line = await eventually(
    "a line of the access log",
    async () =>
      (await Deno.readTextFile(log)).slice(begin).split("\n").findLast((text) =>
        text.includes(`" ${status} `) && text.includes(`"GET ${path} HTTP`)
      ) ?? false,
  );
  const logged = await settled(world, line);
  assert.match(logged.out, new RegExp(`^seen {6}\\S+ status ${status} `, "m"), logged.err);
  assert.match(logged.out, one.says[0]!);
  assert.equal(logged.status, one.exit ?? 1);
}

async function others(world: SecurityWorld, log: string): Promise<void> {
  await world.apply();
  const host = `shop.test:${world.http}`;
  await eventually(
    "success",
    async () => (await call(`http://${CLIENT}:${world.http}/`, { host })).status === 200,
  );
  const allowed = await incident(world, `curl http://${host}/`, "--from", "web.web");
  assert.match(allowed.out, /^now {7}ALLOWED/m, allowed.err);
  assert.equal(allowed.status, 0);
  // The last incident is over; its line says what was then.
  const lines = (await Deno.readTextFile(log)).split("\n");
  const past = await incident(
    world,
    lines.findLast((text) => text.includes('" 403 '))!,
    "--from",
    "web.web",
  );
  assert.match(past.out, /^then {6}DENIED/m, past.err);
  assert.match(past.out, /^now {7}ALLOWED/m);
  const early = lines.find((text) => text.includes("HTTP/1.1"))!.replace(/^\[\d{4}/, "[2020");
  const old = await incident(world, early, "--from", "web.web");
  assert.match(old.out, /the outcome at the time of the request, because the history of this/);
  const nobody = await incident(world, `curl http://${host}/`);
  assert.match(nobody.err, /the first proxy of the request is not known: a curl command does not/);
  const half = await incident(world, "curl -H 'a", "--from", "web.web");
  assert.deepEqual([half.status, /is not whole: a quote/.test(half.err)], [65, true]);
}
