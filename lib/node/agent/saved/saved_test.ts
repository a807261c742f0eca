import assert from "node:assert/strict";
import { eventually } from "../../../../scripts/harness/mod.ts";
import { AGENT_TYPE_URLS, TYPE_URLS } from "../../../mesh/model/mod.ts";
import { encode, fromBinary, type MessageInitShape } from "../../../kit/proto/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { decodeFile, encodeFile } from "./file.ts";
import { type Configuration, Recording } from "./recording.ts";
import { DELTA_REPLAY } from "./replay.ts";
import { openSaved, type SavedConfiguration, type StreamRecorder } from "./saved.ts";
import type { Variant } from "./types.ts";

const { cluster, listener, route, virtualHost, secret } = TYPE_URLS;
const NODE = "sidecar~10.0.0.1~app.shop~shop.svc.cluster.local";

type Notes = Pick<StreamRecorder, "request" | "response">;

function request(
  to: Notes,
  typeUrl: string,
  more: MessageInitShape<typeof DeltaDiscoveryRequestSchema> = {},
): void {
  to.request(encode(DeltaDiscoveryRequestSchema, { typeUrl, ...more }));
}

let nonces = 0;

/** A response with resources `name: content`, which is accepted unless `nack` is set. */
function respond(
  to: Notes,
  typeUrl: string,
  contents: Record<string, string>,
  more: { readonly removed?: string[]; readonly nack?: boolean; readonly silent?: boolean } = {},
): void {
  const nonce = `n${++nonces}`;
  to.response(encode(DeltaDiscoveryResponseSchema, {
    typeUrl,
    nonce,
    resources: Object.entries(contents).map(([name, text]) => ({
      name,
      version: text,
      resource: { typeUrl, value: new TextEncoder().encode(text) },
    })),
    removedResources: more.removed ?? [],
  }));
  if (more.silent) return;
  const errorDetail = more.nack ? { message: "no" } : undefined;
  request(to, typeUrl, { responseNonce: nonce, errorDetail });
}

/** Names and versions by type. */
function versions(configuration: Configuration): Record<string, Record<string, string>> {
  return Object.fromEntries(
    [...configuration].map(([type, resources]) => [
      type,
      Object.fromEntries([...resources].map(([name, { version }]) => [name, version])),
    ]),
  );
}

/** A recording of the types that a proxy needs. */
function started(known: Configuration = new Map()): Recording {
  const recording = new Recording(known);
  request(recording, cluster);
  respond(recording, cluster, { a: "1", b: "1" });
  request(recording, listener);
  respond(recording, listener, { "0.0.0.0_80": "1" });
  return recording;
}

Deno.test("accepted resources are recorded: added, changed, removed, unsubscribed", () => {
  const recording = started();
  respond(recording, cluster, { b: "2", c: "1" }, { removed: ["a"] });
  request(recording, route, { resourceNamesSubscribe: ["80", "90"] });
  respond(recording, route, { "80": "1", "90": "1" });
  request(recording, route, { resourceNamesUnsubscribe: ["90"] });
  assert.deepEqual(versions(recording.configuration), {
    [cluster]: { b: "2", c: "1" },
    [listener]: { "0.0.0.0_80": "1" },
    [route]: { "80": "1" },
  });
  assert.ok(recording.isComplete);
});

Deno.test("resources that the proxy rejects, or has not answered, are not recorded", () => {
  const recording = started();
  respond(recording, cluster, { a: "2" }, { nack: true });
  assert.ok(recording.isComplete);
  respond(recording, cluster, { a: "3" }, { silent: true });
  assert.ok(!recording.isComplete, "a response is under way");
  assert.equal(recording.configuration.get(cluster)?.get("a")?.version, "1");
});

Deno.test("a recording is complete when the proxy has all that it asks for", () => {
  const recording = new Recording(new Map());
  request(recording, cluster);
  respond(recording, cluster, { a: "1" });
  assert.ok(!recording.isComplete, "no listeners");
  request(recording, listener);
  respond(recording, listener, {});
  assert.ok(recording.isComplete);
  request(recording, route, { resourceNamesSubscribe: ["80", "90"] });
  respond(recording, route, { "80": "1" });
  assert.ok(!recording.isComplete, "90 is missing");
  respond(recording, route, {}, { removed: ["90"] });
  assert.ok(recording.isComplete);
  request(recording, virtualHost);
  assert.ok(!recording.isComplete, "80 has no virtual hosts");
  respond(recording, virtualHost, { "80/a.test:80": "1" });
  assert.ok(recording.isComplete);
  const reconnected = new Recording(recording.configuration);
  request(reconnected, cluster, { initialResourceVersions: { a: "1" } });
  request(reconnected, listener);
  respond(reconnected, listener, {});
  assert.ok(reconnected.isComplete, "a is known");
  const unknown = new Recording(recording.configuration);
  request(unknown, cluster, { initialResourceVersions: { a: "2" } });
  request(unknown, listener);
  respond(unknown, listener, {});
  assert.ok(!unknown.isComplete, "this version of a was never seen");
});

Deno.test("secrets, trusted roots and resources with private keys are not kept", () => {
  const recording = started();
  for (const type of [secret, AGENT_TYPE_URLS.proxyConfig]) {
    request(recording, type, { resourceNamesSubscribe: ["x"] });
    respond(recording, type, { x: "hidden" });
  }
  respond(recording, cluster, { k: "-----BEGIN EC PRIVATE KEY-----\nhidden" });
  assert.ok(recording.isComplete);
  const content = encodeFile({
    node: NODE,
    variant: "delta",
    savedAt: "",
    configuration: recording.configuration,
  });
  assert.doesNotMatch(new TextDecoder().decode(content), /hidden/);
  assert.deepEqual(Object.keys(versions(decodeFile(content).configuration)), [cluster, listener]);
});

Deno.test("the file is read as it was written, and no other", () => {
  const { configuration } = started();
  const content = encodeFile({ node: NODE, variant: "sotw", savedAt: "now", configuration });
  const read = decodeFile(content);
  assert.deepEqual([read.node, read.variant, read.savedAt], [NODE, "sotw", "now"]);
  assert.deepEqual(versions(read.configuration), versions(configuration));
  for (let at = 0; at < content.length; at += 7) {
    assert.throws(() => decodeFile(content.subarray(0, at)), { code: "saved-config" });
    const changed = content.slice();
    changed[at]! ^= 0x41;
    // The time of the write is not protected by the checksum; nothing depends on it.
    try {
      assert.deepEqual(versions(decodeFile(changed).configuration), versions(configuration));
    } catch (error) {
      assert.equal(Object(error).code, "saved-config", String(error));
    }
  }
});

Deno.test("a proxy that starts is answered: wildcards, names, missing ones, virtual hosts", () => {
  const recording = started();
  request(recording, route, { resourceNamesSubscribe: ["80", "90"] });
  respond(recording, route, { "80": "1", "90": "1" });
  request(recording, virtualHost);
  respond(recording, virtualHost, { "80/a.test:80": "1", "80/b.test:80": "1" }, {
    removed: ["90/"],
  });
  const replay = DELTA_REPLAY.replay(recording.configuration);
  const answered = (
    typeUrl: string,
    more: MessageInitShape<typeof DeltaDiscoveryRequestSchema> = {},
  ) =>
    replay.read(encode(DeltaDiscoveryRequestSchema, { typeUrl, ...more })).answer().map((bytes) => {
      const response = fromBinary(DeltaDiscoveryResponseSchema, bytes);
      return [
        response.typeUrl,
        response.resources.map(({ name }) => name).sort(),
        response.removedResources,
      ];
    });
  assert.deepEqual(answered(cluster), [[cluster, ["a", "b"], []]]);
  assert.deepEqual(answered(cluster, { responseNonce: "saved-1" }), []);
  assert.deepEqual(answered(listener, { resourceNamesSubscribe: ["*"] }), [
    [listener, ["0.0.0.0_80"], []],
  ]);
  assert.deepEqual(answered(route, { resourceNamesSubscribe: ["80"] }), [[route, ["80"], []]]);
  assert.deepEqual(answered(virtualHost), [[virtualHost, ["80/a.test:80", "80/b.test:80"], []]]);
  assert.deepEqual(answered(route, { resourceNamesSubscribe: ["90", "no"] }), [
    [route, ["90"], ["no"]],
    [virtualHost, [], ["90/"]],
  ]);
  assert.deepEqual(answered(secret, { resourceNamesSubscribe: ["cert"] }), [
    [secret, [], ["cert"]],
  ]);
});

async function withSaved(
  run: (
    open: (node?: string, variant?: Variant) => Promise<SavedConfiguration>,
    file: string,
  ) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const file = `${dir}/saved-config`;
  const opened: SavedConfiguration[] = [];
  try {
    await run(async (node = NODE, variant = "delta") => {
      const saved = await openSaved({ file, node, variant, delayMs: 1 });
      opened.push(saved);
      return saved;
    }, file);
  } finally {
    for (const saved of opened) await saved.stop();
    await Deno.remove(dir, { recursive: true });
  }
}

function record(saved: SavedConfiguration, contents: Record<string, string>): StreamRecorder {
  const recorder = saved.record();
  request(recorder, cluster);
  respond(recorder, cluster, contents);
  request(recorder, listener);
  respond(recorder, listener, {});
  return recorder;
}

Deno.test("the file is written for its owner only, and read again for the same node and variant only", () =>
  withSaved(async (open, file) => {
    const first = await open();
    assert.equal(first.configuration.size, 0);
    record(first, { a: "1" });
    await eventually("the file", () => Deno.stat(file).then(() => true, () => false));
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    assert.deepEqual(versions((await open()).configuration)[cluster], { a: "1" });
    assert.equal((await open("router~10.0.0.1~other.shop~shop")).configuration.size, 0);
    assert.equal((await open(NODE, "sotw")).configuration.size, 0, "of the other variant");
    await first.stop();
    assert.deepEqual([...Deno.readDirSync(file.replace(/\/[^/]+$/, ""))].length, 1);
  }));

Deno.test("an incomplete configuration does not replace a complete one", () =>
  withSaved(async (open) => {
    const saved = await open();
    record(saved, { a: "1" });
    await saved.stop();
    const next = saved.record();
    request(next, cluster);
    respond(next, cluster, { b: "1" });
    await saved.stop();
    assert.deepEqual(versions((await open()).configuration)[cluster], { a: "1" });
    request(next, listener);
    respond(next, listener, {});
    await saved.stop();
    assert.deepEqual(versions((await open()).configuration)[cluster], { b: "1" });
  }));

Deno.test("damaged files, links and messages that cannot be read do no harm", () =>
  withSaved(async (open, file) => {
    await Deno.writeTextFile(file, "{}\nnothing");
    assert.equal((await open()).configuration.size, 0);
    await Deno.remove(file);
    await Deno.symlink("/etc/passwd", file);
    const saved = await open();
    assert.equal(saved.configuration.size, 0);
    const recorder = record(saved, { a: "1" });
    recorder.request(new Uint8Array([255, 255]));
    recorder.response(new Uint8Array([255, 255]));
    await saved.stop();
    assert.ok((await Deno.lstat(file)).isFile, "the link was replaced, not followed");
  }));
