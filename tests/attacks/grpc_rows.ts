/**
 * Attacks on the gRPC listener, each over both transports: the daemon stays alive, its memory is
 * bounded, and an ordinary proxy gets its configuration during the attack. Each transport has a test
 * file of its own, so that they can be tested side by side.
 *
 * @module
 */
import { firstSync } from "./first_sync.ts";
import { ATTACK_MS, holds, type Row } from "./rows.ts";
import { attack, SERVICES, type Transport, victims } from "./victim.ts";

const FRAMES: readonly Row[] = [
  {
    attack: "paddedData",
    title: "padded DATA, of which the window updates are not read",
  },
  { attack: "paddedDataRefused", title: "padded DATA on streams that are over" },
  {
    attack: "settingsTimesStreams",
    title: "full SETTINGS frames beside 20,000 streams",
  },
  { attack: "rapidReset", title: "requests that are reset at once" },
  { attack: "continuations", title: "a header block without an end" },
  { attack: "smallContinuations", title: "header blocks in frames of one byte" },
  { attack: "headerBomb", title: "references to a large header of the table" },
  { attack: "windows", title: "window updates for a thousand streams" },
  { attack: "departures", title: "clients that reset streams and send GOAWAY" },
  { attack: "unreadPings", title: "PING frames, of which the answers are not read" },
  {
    attack: "unreadSettings",
    title: "SETTINGS frames, of which the answers are not read",
  },
  { attack: "priorities", title: "PRIORITY frames" },
  { attack: "emptyBlocks", title: "empty header blocks" },
  { attack: "largeLists", title: "header lists of just the size allowed" },
  { attack: "manyFields", title: "header lists of many empty fields" },
  { attack: "indexedFields", title: "header lists of a byte for each field" },
  { attack: "openStreams", title: "streams on which nothing comes" },
  { attack: "unknownMethods", title: "requests for a method that does not exist" },
];

const STREAMS: readonly Row[] = [
  { attack: "abandoned", title: "discovery requests that are reset at once" },
  { attack: "closedWindows", title: "300 sessions that never open their window" },
  { attack: "closedWindowsTogether", title: "300 such sessions on one connection" },
  { attack: "unreadSessions", title: "300 sessions of clients that do not read" },
  {
    attack: "partialMessages",
    title: "450 messages of 4 MiB that never come to their end",
  },
  {
    attack: "requestFlood",
    title: "discovery requests as fast as possible, a stream for each",
  },
  { attack: "requestsOnOneStream", title: "discovery requests as fast as possible on one stream" },
  // What streams leave in memory adds up: it took seconds to pass the bound.
  { attack: "manyNames", title: "requests for 90,000 names", ms: 6000 },
  { attack: "otherNames", title: "requests for 90,000 names, other ones each time", ms: 6000 },
  { attack: "largeNodes", title: "nodes of 3 MiB" },
  { attack: "garbage", title: "messages that are no requests" },
  { attack: "hangUps", title: "connections that are closed at once" },
  { attack: "idleConnections", title: "4,000 connections on which nothing comes" },
  {
    attack: "idleStreams",
    title: "3,000 connections with a stream each on which nothing comes",
  },
];

/** Registers the tests of a transport. */
export function testAttacks(transport: Transport): void {
  Deno.test(`attacks over ${transport} delay no proxy`, async (t) => {
    await using daemons = victims(transport);
    for (const row of [...FRAMES, ...STREAMS]) {
      await t.step({
        name: row.title,
        fn: async () => {
          const victim = await daemons.next();
          const { xds } = victim.daemon;
          const port = Number(xds.slice(xds.lastIndexOf(":") + 1));
          const order = { attack: row.attack, port, ms: row.ms ?? ATTACK_MS };
          const outcome = await attack(victim, order, () => firstSync(xds, SERVICES));
          holds(row, transport, outcome);
        },
      });
    }
  });
}
