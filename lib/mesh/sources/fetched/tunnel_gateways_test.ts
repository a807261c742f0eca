import assert from "node:assert/strict";
import { useEnvironment } from "../../../kit/env/mod.ts";
import type { SettingChanges } from "../../ingest/mod.ts";
import type { WatchNames } from "./refresh.ts";
import { resolveTunnelGateways } from "./tunnel_gateways.ts";

const NAMES: WatchNames = () => ({ value: ["gw.example"], close: () => {} });

Deno.test("the addresses of a gateway's name are reported", async () => {
  const { promise, resolve } = Promise.withResolvers<SettingChanges>();
  let isSynced = false;
  using _ = resolveTunnelGateways(
    NAMES,
    { settings: resolve, synced: () => isSynced = true },
    () => Promise.resolve({ addresses: ["192.0.2.2", "192.0.2.1"] }),
  );
  assert.ok(isSynced, "names do not hold up the start");
  const { gatewayNames } = await promise;
  assert.deepEqual([...gatewayNames!], [["gw.example", ["192.0.2.1", "192.0.2.2"]]]);
});

Deno.test("RESOLVE_HOSTNAME_GATEWAYS=false: no name of a tunnel's gateway is looked up", () => {
  using _ = useEnvironment({ RESOLVE_HOSTNAME_GATEWAYS: "false" });
  const unused = { settings: () => assert.fail("no settings"), synced: () => {} };
  using _gateways = resolveTunnelGateways(NAMES, unused, () => assert.fail("no look-up"));
});
