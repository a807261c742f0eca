import assert from "node:assert/strict";
import { hash } from "../../../kit/base/mod.ts";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type Client, type World, world } from "../../../../tests/support/discovery.ts";
import { wireVersion } from "../wire/wire_version.ts";
import { TYPE_URLS, xdsType } from "../../model/mod.ts";

const { cluster: CDS, endpoint: EDS, listener: LDS, route: RDS, virtualHost: VHDS } = TYPE_URLS;

/** The version of a content in responses. */
const wire = (content: string): string => wireVersion({ version: hash(content) });

type Proxy = Client<object, DeltaDiscoveryResponse>;
type Edit = Readonly<Record<string, string | undefined>>;

const ALL = [CDS, EDS, LDS, RDS, VHDS];

/** A response in one line: its type, what it sends, what it takes away. */
function line(response: DeltaDiscoveryResponse): string {
  const names = response.resources.map((r) => `+${r.name}`);
  const gone = response.removedResources.map((name) => `-${name}`);
  return [xdsType(response.typeUrl).short, ...names.sort(), ...gone.sort()].join(" ");
}

function publish(w: World, edits: Readonly<Record<string, Edit>>): void {
  for (const [type, edit] of Object.entries(edits)) w.set(type, edit);
  w.publish();
}

/** Three tables: 80 with two hosts, 90 with none, one of a socket with one. */
const SOCKET = "unix:///run/x.sock";
const TABLES = { [RDS]: { "80": "t", "90": "t", [SOCKET]: "t" } };
const HOSTS = { [VHDS]: { "80/a": "1", "80/b": "1", [`${SOCKET}/a`]: "1" } };

async function meshOf(limits = {}): Promise<World> {
  const w = await world(ALL, limits);
  publish(w, { ...TABLES, ...HOSTS });
  return w;
}

/** A client like Envoy: it subscribes to the children of its tables when it has a table. */
async function following(w: World, ...tables: string[]): Promise<Proxy> {
  const proxy = w.delta() as Proxy;
  proxy.send({ typeUrl: RDS, resourceNamesSubscribe: tables });
  await proxy.take();
  proxy.send({ typeUrl: VHDS });
  return proxy;
}

Deno.test("a client that names no child resources gets those of the tables it subscribes to", async () => {
  await using w = await meshOf();
  const proxy = await following(w, "80");
  assert.equal(line(await proxy.take()), "vhds +80/a +80/b");
  publish(w, { [VHDS]: { "80/b": "2", [`${SOCKET}/a`]: "2" } });
  assert.equal(line(await proxy.take()), "vhds +80/b", "of other tables it hears nothing");
  proxy.close();
});

Deno.test("a client is notified that a table has no children, because it waits for them", async () => {
  await using w = await meshOf();
  const proxy = await following(w, "90");
  assert.equal(line(await proxy.take()), "vhds -90/");
  proxy.send({ typeUrl: RDS, resourceNamesSubscribe: ["80"] });
  assert.equal(line(await proxy.take()), "rds +80");
  assert.equal(line(await proxy.take()), "vhds +80/a +80/b");
  publish(w, { [RDS]: { "70": "t" } });
  proxy.send({ typeUrl: RDS, resourceNamesSubscribe: ["70", SOCKET] });
  assert.equal(line(await proxy.take()), `rds +70 +${SOCKET}`);
  assert.equal(line(await proxy.take()), `vhds +${SOCKET}/a -70/`);
  proxy.close();
});

Deno.test("a table that is requested again is followed by its children again", async () => {
  await using w = await meshOf();
  const proxy = await following(w, "80", SOCKET);
  await proxy.take();
  proxy.send({ typeUrl: RDS, resourceNamesUnsubscribe: ["80"] });
  // The request has arrived before the publication.
  await proxy.quiet();
  publish(w, { [VHDS]: { "80/a": undefined } });
  assert.deepEqual(await proxy.quiet(), [], "nothing is sent for unsubscribed names");
  proxy.send({ typeUrl: RDS, resourceNamesSubscribe: ["80"] });
  assert.equal(line(await proxy.take()), "rds +80");
  assert.equal(line(await proxy.take()), "vhds +80/b");
  proxy.close();
});

Deno.test("a changed table is not followed by unchanged children", async () => {
  await using w = await meshOf();
  const proxy = await following(w, "80");
  await proxy.take();
  publish(w, { [RDS]: { "80": "other" } });
  assert.equal(line(await proxy.take()), "rds +80");
  assert.deepEqual(await proxy.quiet(), []);
  proxy.close();
});

Deno.test("the replacement of a child resource comes in one response with its removal, after its table", async () => {
  // Slices of one byte, and removals that wait forever: neither applies to children.
  await using w = await meshOf({ slice: 1, drainMs: 60_000, settleMs: 60_000 });
  const proxy = await following(w, "80");
  assert.equal(line(await proxy.take()), "vhds +80/a +80/b");
  publish(w, { [RDS]: { "80": "other" }, [VHDS]: { "80/a": undefined, "80/b": "2", "80/c": "1" } });
  assert.equal(line(await proxy.take()), "rds +80");
  assert.equal(line(await proxy.take()), "vhds +80/b +80/c -80/a");
  proxy.close();
});

Deno.test("children wait for the answer to those before, and are sent as one response then", async () => {
  await using w = await meshOf({ answerMs: 60_000 });
  const proxy = await following(w, "80");
  const first = await proxy.next();
  for (const content of ["2", "3"]) publish(w, { [VHDS]: { "80/b": content } });
  publish(w, { [VHDS]: { "80/a": undefined, "80/c": "1" } });
  assert.deepEqual(await proxy.quiet(), [], "the first response has no answer");
  proxy.answer(first);
  assert.equal(line(await proxy.take()), "vhds +80/b +80/c -80/a");
  proxy.close();
});

Deno.test("children wait for a silent client no longer than the bound", async () => {
  await using w = await meshOf({ answerMs: 1 });
  const proxy = await following(w, "80");
  await proxy.next();
  publish(w, { [VHDS]: { "80/b": "2" } });
  assert.equal(line(await proxy.next()), "vhds +80/b");
  proxy.close();
});

/** A cluster by EDS. */
const CLUSTER = new Uint8Array([0x10, 3]);

Deno.test("children wait for new clusters, and are removed before the clusters that they name", async () => {
  await using w = await meshOf();
  const proxy = w.delta() as Proxy;
  proxy.send({ typeUrl: CDS });
  await proxy.take();
  proxy.send({ typeUrl: RDS, resourceNamesSubscribe: ["80"] });
  await proxy.take();
  proxy.send({ typeUrl: VHDS });
  await proxy.take();
  w.set(CDS, { c: CLUSTER });
  publish(w, { [EDS]: { c: "1" }, [VHDS]: { "80/c": "to c" } });
  assert.equal(line(await proxy.take()), "cds +c");
  assert.deepEqual(await proxy.quiet(), [], "the cluster is not warm yet");
  proxy.send({ typeUrl: EDS, resourceNamesSubscribe: ["c"] });
  assert.equal(line(await proxy.take()), "eds +c");
  assert.equal(line(await proxy.take()), "vhds +80/c");
  publish(w, { [CDS]: { c: undefined }, [EDS]: { c: undefined }, [VHDS]: { "80/c": undefined } });
  const lines = [line(await proxy.take()), line(await proxy.take()), line(await proxy.take())];
  assert.deepEqual(lines, ["vhds -80/c", "eds -c", "cds -c"]);
  proxy.close();
});

Deno.test("children are not sent before their table is known", async () => {
  await using w = await meshOf();
  const proxy = w.delta() as Proxy;
  const held = { "80/a": wire("1"), "80/gone": "x", [`${SOCKET}/a`]: wire("1") };
  proxy.send({ typeUrl: VHDS, initialResourceVersions: held });
  assert.deepEqual(await proxy.quiet(), []);
  proxy.send({
    typeUrl: RDS,
    resourceNamesSubscribe: ["80"],
    initialResourceVersions: { "80": wire("t") },
  });
  assert.equal(line(await proxy.take()), `vhds +80/b -80/gone -${SOCKET}/a`);
  proxy.close();
});

Deno.test("a client that reconnects with all its resources is sent nothing", async () => {
  await using w = await meshOf();
  const proxy = w.delta() as Proxy;
  proxy.send({
    typeUrl: RDS,
    resourceNamesSubscribe: ["80"],
    initialResourceVersions: { "80": wire("t") },
  });
  const held = { "80/a": wire("1"), "80/b": wire("1") };
  proxy.send({ typeUrl: VHDS, initialResourceVersions: held });
  assert.deepEqual(await proxy.quiet(), []);
  const states = w.xds.sessions()[0]!.types.filter((t) => t.view).map((t) => t.state);
  assert.deepEqual(states, ["SYNCED", "SYNCED"]);
  proxy.close();
});

Deno.test("a client that reconnects without a table, or with another, is sent all its children", async () => {
  await using w = await meshOf();
  const held = { "80/a": wire("1"), "80/b": wire("1") };
  for (const versions of [{}, { "80": wire("older") }]) {
    const proxy = w.delta() as Proxy;
    proxy.send({
      typeUrl: RDS,
      resourceNamesSubscribe: ["80"],
      initialResourceVersions: versions,
    });
    await proxy.take();
    proxy.send({ typeUrl: VHDS, initialResourceVersions: held });
    assert.equal(line(await proxy.take()), "vhds +80/a +80/b");
    proxy.close();
  }
});

Deno.test("children are removed from a client whose tables are whole", async () => {
  await using w = await world([RDS]);
  publish(w, { [RDS]: { "80": "whole" } });
  const proxy = w.delta() as Proxy;
  proxy.send({
    typeUrl: RDS,
    resourceNamesSubscribe: ["80"],
    initialResourceVersions: { "80": wire("apart") },
  });
  assert.equal(line(await proxy.take()), "rds +80");
  proxy.send({ typeUrl: VHDS, initialResourceVersions: { "80/a": wire("1") } });
  assert.equal(line(await proxy.take()), "vhds -80/a");
  proxy.close();
});
