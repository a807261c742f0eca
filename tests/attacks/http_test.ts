/**
 * Attacks on the HTTP listeners: the daemon stays alive, its memory is bounded, and HTTP requests
 * and proxies are served during the attack.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../scripts/harness/mod.ts";
import { firstSync } from "./first_sync.ts";
import { holds, MOST_MS, type Row } from "./rows.ts";
import { attack, SERVICES, victims } from "./victim.ts";

/** Time of an attack, milliseconds. */
const HTTP_ATTACK_MS = 800;

/** Longest time of an attack that ends by itself when it has opened its connections, ms. */
const ALL_MS = 60_000;

/** An attack on an HTTP listener. */
interface HttpRow extends Row {
  /** Ordinary requests come from another address than the attack. */
  readonly asksFromElsewhere?: boolean;
}

const ROWS: readonly HttpRow[] = [
  {
    attack: "pipelined",
    title: "requests one behind the other, of which no answer is read",
  },
  { attack: "pipelinedRead", title: "requests one behind the other" },
  { attack: "keptAlive", title: "520 connections that are kept alive" },
  {
    attack: "halfOpen",
    title: "10,000 requests that never come to their end",
    ms: ALL_MS,
    connections: 10_000,
  },
  {
    attack: "largeHalfOpen",
    title: "10,000 requests with 60 KB of headers each that never come to their end",
    ms: ALL_MS,
    connections: 10_000,
  },
  {
    attack: "manyConnections",
    title: "connections that are opened and closed as fast as possible",
    asksFromElsewhere: true,
  },
  { attack: "endlessHeaders", title: "headers without an end" },
  { attack: "largeHeader", title: "headers of 3 MB" },
  { attack: "unreadAnswers", title: "1,000 connections with an answer each that is not read" },
  { attack: "endlessBodies", title: "bodies without an end" },
  { attack: "h2RapidReset", title: "HTTP/2: requests that are reset at once" },
  { attack: "h2ClosedWindows", title: "HTTP/2: requests whose answers may not be sent" },
  { attack: "h2LargeLists", title: "HTTP/2: header lists of 15 KB on streams that stay open" },
  { attack: "h2UnreadPings", title: "HTTP/2: PING frames, of which the answers are not read" },
  { attack: "h2HeadersFlood", title: "HTTP/2: requests on 50 connections" },
  { attack: "h2SettingsFlood", title: "HTTP/2: SETTINGS frames on 50 connections" },
  { attack: "h2Continuations", title: "HTTP/2: a header block without an end" },
];

/**
 * Measures the time until an HTTP request is answered, ms. It is made again when its connection is
 * refused or closed, because the attack comes from the same address.
 */
async function get(url: string, client?: Deno.HttpClient): Promise<number> {
  const started = performance.now();
  for (;;) {
    // A connection of its own, as a probe has.
    const answer = await fetch(url, { client, headers: { connection: "close" } }).catch((error) => {
      if (performance.now() - started > MOST_MS) throw error;
    });
    if (answer === undefined) continue;
    const body = await answer.text();
    assert.equal(answer.status, 200, `${url}: ${body.slice(0, 200)}`);
    return performance.now() - started;
  }
}

/** HTTP/2 and large headers once: both listeners refuse them by the same code. */
const LISTENERS = {
  monitoring: ROWS,
  http: ROWS.filter(({ attack }) => !/^h2|^largeHalfOpen$/.test(attack)),
};

Deno.test("attacks on the HTTP listeners delay no probe and no proxy", async (t) => {
  await using daemons = victims("native");
  using elsewhere = Deno.createHttpClient({ localAddress: "127.0.0.9" });
  for (const listener of ["monitoring", "http"] as const) {
    for (const row of LISTENERS[listener]) {
      await t.step({
        name: `${listener}: ${row.title}`,
        fn: async () => {
          const victim = await daemons.next();
          const { xds, http, monitoring, [listener]: attacked } = victim.daemon;
          const port = Number(new URL(attacked).port);
          const order = { attack: row.attack, port, ms: row.ms ?? HTTP_ATTACK_MS };
          const client = row.asksFromElsewhere ? elsewhere : undefined;
          const ask = async () =>
            Math.max(
              await get(`${http}/ready`, client),
              await firstSync(xds, SERVICES),
            );
          holds(row, "native", await attack(victim, order, ask));
          // Beside the attack, a listener may refuse all but probes.
          await eventually("the page", async () => await get(`${monitoring}/version`) > 0);
        },
      });
    }
  }
});
