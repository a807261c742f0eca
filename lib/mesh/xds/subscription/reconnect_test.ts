import assert from "node:assert/strict";
import fc from "fast-check";
import { hash } from "../../../kit/base/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type ProxyNode, TYPE_URLS, xdsType } from "../../model/mod.ts";
import { create, toBinary } from "../../../kit/proto/mod.ts";
import { type Client, world } from "../../../../tests/support/discovery.ts";
import { matchExpected } from "./expected_state.ts";
import { nameTable } from "./names.ts";
import { decodeRequest } from "../wire/request.ts";
import { responseEncoder } from "../wire/response.ts";
import { addPair, addResource, newChecksum, sameChecksum } from "../wire/checksum.ts";
import { wireVersion } from "../wire/wire_version.ts";
import { concat, delimited } from "../wire/protobuf.ts";
import { newSubscription } from "./subscription.ts";

const { cluster: CDS, endpoint: EDS } = TYPE_URLS;

type Proxy = Client<object, DeltaDiscoveryResponse>;

const encoder = new TextEncoder();
const NAMES = Array.from({ length: 60 }, (_, i) => `outbound|80||service-${i}`);

/** Contents by name as the client reports them, in another order. */
function versionsOf(contents: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(contents).map(([name, content]) =>
    [name, wireVersion({ version: hash(encoder.encode(content)) })] as const
  );
  return Object.fromEntries(entries.reverse());
}

/** Responses to a reconnected client, one per line; at least `least` responses. */
async function sent(
  content: Readonly<Record<string, string>>,
  typeUrl: string,
  held: Readonly<Record<string, string>>,
  { asked, least = 0 }: { readonly asked: readonly string[]; readonly least?: number },
): Promise<string[]> {
  await using w = await world([CDS, EDS]);
  w.set(typeUrl, content);
  w.publish();
  const proxy = w.delta() as Proxy;
  const names = typeUrl === CDS ? [] : [...asked];
  const versions = versionsOf(held);
  proxy.send({ typeUrl, resourceNamesSubscribe: names, initialResourceVersions: versions });
  const responses: DeltaDiscoveryResponse[] = [];
  while (responses.length < least) responses.push(await proxy.take());
  responses.push(...await proxy.quiet());
  proxy.close();
  return responses.map(({ resources, removedResources }) =>
    [...resources.map(({ name }) => `+${name}`), ...removedResources.map((name) => `-${name}`)]
      .sort().join(" ")
  );
}

Deno.test("a client that reconnects with thousands of names is sent only the differences", async () => {
  const content = Object.fromEntries(NAMES.map((name) => [name, `${name} 1`]));
  const [one, two] = [NAMES[7]!, NAMES[8]!];
  for (const type of [CDS, EDS]) {
    assert.deepEqual(await sent(content, type, content, { asked: NAMES }), [], "all of it");
    assert.deepEqual(await sent(content, type, { ...content, [one]: "old" }, { asked: NAMES }), [
      `+${one}`,
    ]);
    const { [two]: _, ...less } = content;
    assert.deepEqual(await sent(content, type, less, { asked: NAMES }), [`+${two}`]);
    const exchanged = { ...content, [one]: content[two]!, [two]: content[one]! };
    assert.deepEqual(await sent(content, type, exchanged, { asked: NAMES }), [`+${one} +${two}`]);
  }
  assert.deepEqual(await sent(content, EDS, content, { asked: [...NAMES, "none"] }), ["-none"]);
  // Gone is what nothing refers to any more, after a moment.
  assert.deepEqual(await sent(content, CDS, { ...content, more: "x" }, { asked: [], least: 1 }), [
    "-more",
  ]);
});

Deno.test("a checksum is the same in any order, and another for other pairs", () => {
  const pair = (name: string, version: string) => concat(delimited(1, name), delimited(2, version));
  const checksumOf = (pairs: readonly (readonly [string, string])[]) => {
    const checksum = newChecksum();
    for (const [name, version] of pairs) {
      const bytes = pair(name, version);
      addPair(checksum, bytes, 0, bytes.byteLength);
    }
    return checksum;
  };
  const short = fc.string({ maxLength: 12 });
  const pairs = fc.uniqueArray(fc.tuple(short, short), { selector: (one) => one.join("\0") });
  fc.assert(fc.property(pairs, pairs, (some, others) => {
    const own = checksumOf(some);
    assert.ok(sameChecksum(own, checksumOf(some.toReversed())));
    const resources = newChecksum();
    for (const [name, version] of some) {
      addResource(resources, { name, version, bytes: new Uint8Array() });
    }
    assert.ok(sameChecksum(own, resources));
    const keys = (list: typeof some) => JSON.stringify(list.map((one) => one.join("\0")).sort());
    assert.equal(sameChecksum(own, checksumOf(others)), keys(some) === keys(others));
  }));
});

Deno.test("a client's list of versions is replaced by the shared one when both are equal", async () => {
  await using w = await world([CDS]);
  const content = Object.fromEntries(NAMES.map((name) => [name, "1"]));
  w.set(CDS, content);
  w.publish();
  const node = { namespace: "default" } as ProxyNode;
  const view = w.source.bind(node, () => {}).view(CDS)!;
  const cases: [name: string, held: Record<string, string>, recognised: boolean][] = [
    ["all", content, true],
    ["one of them older", { ...content, [NAMES[0]!]: "0" }, false],
    ["one missing", Object.fromEntries(NAMES.slice(1).map((name) => [name, "1"])), false],
    ["one more", { ...content, more: "1" }, false],
  ];
  for (const [name, held, recognised] of cases) {
    const subscription = newSubscription(
      xdsType(CDS),
      responseEncoder({ url: CDS }, "delta", "me"),
      nameTable(),
    );
    const initialResourceVersions = versionsOf(held);
    const request = create(DeltaDiscoveryRequestSchema, { typeUrl: CDS, initialResourceVersions });
    const { versions } = decodeRequest(
      toBinary(DeltaDiscoveryRequestSchema, request),
      "delta",
      { maxNode: 1, maxName: 100, maxNames: 100 },
    );
    Object.assign(subscription, { view, wildcard: true, versions });
    matchExpected(subscription);
    assert.equal(subscription.versions !== versions, recognised, name);
    assert.equal(subscription.versions!.size, Object.keys(held).length, name);
    assert.deepEqual(new Set(subscription.versions!.names()), new Set(Object.keys(held)), name);
    for (const [key, version] of Object.entries(initialResourceVersions)) {
      assert.ok(subscription.versions!.has(key, version), name);
      assert.ok(!subscription.versions!.has(key, "other"), name);
    }
  }
});
