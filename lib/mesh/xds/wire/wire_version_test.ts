import assert from "node:assert/strict";
import type { DeltaDiscoveryResponse } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { hash } from "../../../kit/base/mod.ts";
import { type Client, world } from "../../../../tests/support/discovery.ts";
import { TYPE_URLS } from "../../model/mod.ts";

const { cluster: CDS } = TYPE_URLS;

Deno.test("clients are sent the prefix of a version, and reconnect with it", async () => {
  await using w = await world([CDS]);
  w.set(CDS, { a: "1" });
  w.publish();
  const proxy = w.delta() as Client<object, DeltaDiscoveryResponse>;
  proxy.send({ typeUrl: CDS });
  const [resource] = (await proxy.take()).resources;
  assert.equal(resource!.version, hash("1").slice(0, 12));
  const back = w.delta({ name: "back" }) as Client<object, DeltaDiscoveryResponse>;
  back.send({ typeUrl: CDS, initialResourceVersions: { a: resource!.version } });
  assert.deepEqual(await back.quiet(), []);
  const other = w.delta({ name: "other" }) as Client<object, DeltaDiscoveryResponse>;
  other.send({ typeUrl: CDS, initialResourceVersions: { a: hash("2").slice(0, 12) } });
  assert.equal((await other.take()).resources.length, 1);
});
