import assert from "node:assert/strict";
import { AGENT_TYPE_URLS, TYPE_URLS } from "../../../mesh/model/mod.ts";
import { encode, fromBinary, type MessageInitShape } from "../../../kit/proto/mod.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { Recording } from "./recording.ts";
import { SOTW_REPLAY } from "./sotw_replay.ts";
import { sotwReader } from "./sotw_reader.ts";

const { cluster, endpoint, listener, route, secret } = TYPE_URLS;
const { nameTable } = AGENT_TYPE_URLS;

/** A resource with a name and a mark. Field 1 is the name in the message of each type. */
const resource = (name: string, mark: string): Uint8Array =>
  encode(ClusterSchema, { name, altStatName: mark });

/** The proxy and the daemon of one recorded stream. */
class Stream {
  readonly recording = new Recording(new Map(), sotwReader());
  #count = 0;

  /** The proxy's request. */
  ask(typeUrl: string, names: string[] = [], nonce = "", rejection?: string): boolean {
    return this.recording.request(encode(DiscoveryRequestSchema, {
      typeUrl,
      resourceNames: names,
      responseNonce: nonce,
      errorDetail: rejection === undefined ? undefined : { message: rejection },
    }));
  }

  /** The daemon's response with resources `name: mark`; its nonce. */
  send(typeUrl: string, marks: Record<string, string>): string {
    const nonce = `n${++this.#count}`;
    this.recording.response(encode(DiscoveryResponseSchema, {
      typeUrl,
      nonce,
      versionInfo: `v${this.#count}`,
      resources: Object.entries(marks).map(([name, mark]) => ({
        typeUrl,
        value: resource(name, mark),
      })),
    }));
    return nonce;
  }

  /** A response that the proxy accepts. */
  accept(typeUrl: string, marks: Record<string, string>, names: string[] = []): void {
    assert.ok(this.ask(typeUrl, names, this.send(typeUrl, marks)));
  }

  /** The recorded marks, by name, as a proxy that starts is sent them. */
  marks(typeUrl: string, names: string[] = []): Record<string, string> | undefined {
    const replay = SOTW_REPLAY.replay(this.recording.configuration);
    return marksOf(
      replay.read(encode(DiscoveryRequestSchema, { typeUrl, resourceNames: names }))
        .answer()[0],
    );
  }
}

function marksOf(bytes: Uint8Array | undefined): Record<string, string> | undefined {
  return bytes && Object.fromEntries(
    fromBinary(DiscoveryResponseSchema, bytes).resources.map(({ value }) => {
      const { name, altStatName } = fromBinary(ClusterSchema, value);
      return [name, altStatName];
    }),
  );
}

/** A stream with all that a proxy needs. */
function started(): Stream {
  const stream = new Stream();
  stream.ask(cluster);
  stream.accept(cluster, { a: "1", b: "1" });
  stream.ask(listener);
  stream.accept(listener, { l: "1" });
  return stream;
}

Deno.test("sotw: accepted resources are recorded, and missing clusters and listeners are removed", () => {
  const stream = started();
  assert.ok(stream.recording.isComplete);
  stream.accept(cluster, { b: "2", c: "1" });
  assert.deepEqual(stream.marks(cluster), { b: "2", c: "1" });
  assert.deepEqual(stream.marks(listener), { l: "1" });
  stream.accept(listener, {});
  assert.deepEqual(stream.marks(listener), {});
});

Deno.test("sotw: endpoints arrive in parts, and go when the proxy no longer names them", () => {
  const stream = started();
  stream.ask(endpoint, ["a", "b"]);
  assert.ok(!stream.recording.isComplete, "nothing was answered");
  stream.accept(endpoint, { a: "1" }, ["a", "b"]);
  assert.ok(!stream.recording.isComplete, "b is missing");
  stream.accept(endpoint, { b: "1" }, ["a", "b"]);
  assert.ok(stream.recording.isComplete);
  stream.accept(endpoint, { a: "2" }, ["a", "b"]);
  assert.deepEqual(stream.marks(endpoint, ["a", "b"]), { a: "2", b: "1" });
  stream.ask(endpoint, ["b"], "n6");
  assert.deepEqual(stream.marks(endpoint, ["a", "b"]), { b: "1" });
  assert.ok(stream.recording.isComplete);
});

Deno.test("sotw: rejected and unanswered responses are not recorded", () => {
  const stream = started();
  assert.ok(!stream.ask(cluster, [], stream.send(cluster, { a: "bad" }), "no"));
  assert.ok(stream.recording.isComplete);
  const nonce = stream.send(cluster, { a: "2" });
  assert.ok(!stream.recording.isComplete, "a response is under way");
  assert.deepEqual(stream.marks(cluster), { a: "1", b: "1" });
  assert.ok(stream.ask(cluster, [], nonce));
  assert.deepEqual(stream.marks(cluster), { a: "2" });
});

Deno.test("sotw: a response that is superseded before its answer is not recorded", () => {
  const stream = started();
  stream.send(cluster, { a: "2" });
  assert.ok(stream.ask(cluster, [], stream.send(cluster, { a: "3" })));
  assert.deepEqual(stream.marks(cluster), { a: "3" });
  assert.ok(stream.recording.isComplete);
  stream.ask(endpoint, ["a", "b"]);
  stream.send(endpoint, { a: "1" });
  assert.ok(stream.ask(endpoint, ["a", "b"], stream.send(endpoint, { b: "1" })));
  assert.ok(!stream.recording.isComplete, "it is unknown if the proxy accepted a");
  stream.accept(endpoint, { a: "2" }, ["a", "b"]);
  assert.ok(stream.recording.isComplete);
});

Deno.test("sotw: the agent's own resource is recorded, secrets are not", () => {
  const stream = started();
  stream.ask(nameTable);
  // Two tables, whose messages begin with other fields: the second one replaces the first.
  stream.accept(nameTable, { "first.test": "1" });
  stream.accept(nameTable, { "second.test": "1" });
  stream.ask(secret, ["s"]);
  stream.send(secret, { s: "hidden" });
  const { configuration } = stream.recording;
  assert.deepEqual([...configuration.keys()], [cluster, listener, nameTable]);
  assert.ok(stream.recording.isComplete);
  const table = SOTW_REPLAY.agentResponse(nameTable, configuration.get(nameTable)!);
  assert.deepEqual(marksOf(table), { "second.test": "1" });
});

Deno.test("sotw: a proxy that starts is answered: everything, names, more names, missing ones", () => {
  const stream = started();
  stream.ask(route, ["80", "90"]);
  stream.accept(route, { "80": "1", "90": "1" }, ["80", "90"]);
  const replay = SOTW_REPLAY.replay(stream.recording.configuration);
  const read = (typeUrl: string, more: MessageInitShape<typeof DiscoveryRequestSchema> = {}) =>
    replay.read(encode(DiscoveryRequestSchema, { typeUrl, ...more }));
  const answered = (...request: Parameters<typeof read>) => read(...request).answer().map(marksOf);
  assert.ok(read(cluster).isFresh);
  assert.ok(!read(cluster, { versionInfo: "v1" }).isFresh, "a proxy that has clusters");
  assert.deepEqual(answered(cluster), [{ a: "1", b: "1" }]);
  assert.deepEqual(answered(cluster, { versionInfo: "saved", responseNonce: "saved-1" }), []);
  assert.deepEqual(answered(listener, { resourceNames: ["*"] }), [{ l: "1" }]);
  assert.deepEqual(answered(route, { resourceNames: ["80"] }), [{ "80": "1" }]);
  assert.deepEqual(answered(route, { resourceNames: ["80", "90", "no"] }), [{ "90": "1" }]);
  assert.deepEqual(answered(route, { resourceNames: ["80"] }), []);
  assert.deepEqual(answered(secret, { resourceNames: ["cert"] }), []);
  const rejected = read(cluster, { responseNonce: "saved-1", errorDetail: { message: "no" } });
  assert.deepEqual([rejected.rejection, rejected.answer()], ["no", []]);
});
