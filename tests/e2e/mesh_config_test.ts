/**
 * The file of the mesh configuration, followed live, by what traffic does.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { documents, endpoint, serviceEntry } from "../support/manifest.ts";
import { problemsOf } from "../support/views.ts";
import { assertNothingRejected, type Seat, sidecars, startWorld } from "../support/world.ts";

const HOST = "shop.test";
const UNKNOWN = "nobody-knows.example";

/** What is written, in order. Each step leaves the file for the next. */
const BLOCKING = "outboundTrafficPolicy: {mode: REGISTRY_ONLY}\n";
const RETRYING = "defaultHttpRetryPolicy: {attempts: 2, retryOn: 5xx, backoff: 1ms}\n";
const LOGGING = `accessLogFile: /dev/stdout
accessLogFormat: "seen %REQ(:METHOD)% %REQ(:PATH)% %RESPONSE_CODE%\\n"
`;

Deno.test("the mesh configuration is followed", async (t) => {
  await using backend = startBackend("a");
  const port = freePort();
  const http = { number: port, protocol: "HTTP" };
  const files = {
    "all.yaml": documents(
      sidecars([http]),
      serviceEntry("shop", [HOST], http, [endpoint(backend.port)]),
    ),
  };
  const dir = await Deno.makeTempDir({ prefix: "mesh-config-file-" });
  const path = `${dir}/mesh`;
  const write = async (text: string): Promise<void> => {
    await Deno.writeTextFile(`${path}.new`, text);
    await Deno.rename(`${path}.new`, path);
  };
  await write(BLOCKING);
  const daemon = { args: [`--meshConfig=${path}`] };
  await using world = await startWorld({ files, daemon });
  const each = async (act: (seat: Seat) => Promise<void>): Promise<void> => {
    for (const seat of world.seats) await act(seat);
  };
  const ask = ({ address }: Seat, host = HOST, headers: Record<string, string> = {}, at = "/") =>
    call(`http://${address}:${port}${at}`, { host, headers });
  const unknownIsBlocked = (blocked: boolean) =>
    each(async (seat) => {
      await eventually(
        `unknown hosts ${blocked ? "" : "not "}to be blocked over ${seat.transport}`,
        async () => (await ask(seat, UNKNOWN)).status === 502 === blocked,
      );
      assert.equal((await ask(seat)).echo?.backend, "a");
    });

  await t.step("from the start", () => unknownIsBlocked(true));
  await t.step("when it changes", async () => {
    await write("outboundTrafficPolicy: {mode: ALLOW_ANY}\n");
    await unknownIsBlocked(false);
    await write(BLOCKING);
    await unknownIsBlocked(true);
  });
  await t.step("but not when it is broken", async () => {
    await write("outboundTrafficPolicy: {mode: PERHAPS}\n");
    const problem = await eventually(
      "the problem",
      async () => (await problemsOf(world.daemon)).problems[0],
    );
    assert.ok(problem.file.endsWith("mesh"), problem.file);
    assert.equal(problem.line, 1);
    assert.equal(problem.path, "outboundTrafficPolicy.mode");
    await unknownIsBlocked(true);
    await write(RETRYING);
    await unknownIsBlocked(false);
    await eventually(
      "no problem",
      async () => (await problemsOf(world.daemon)).problems.length === 0,
    );
  });
  await t.step("retries of services without rules", () =>
    each(async (seat) => {
      const key = `retried ${seat.transport}`;
      const headers = { "x-request-key": key, "x-backend-fail-first": "2" };
      assert.equal((await ask(seat, HOST, headers)).status, 200);
      assert.equal(backend.seen(key).length, 3);
    }));
  await t.step("access logs", async () => {
    await write(LOGGING);
    await each(async (seat) => {
      await eventually("a line in the access log", async () => {
        await ask(seat, HOST, {}, "/logged");
        return seat.agent.program.output().includes("seen GET /logged 200");
      });
    });
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
  await Deno.remove(dir, { recursive: true });
});
