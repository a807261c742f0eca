import assert from "node:assert/strict";
import { useEnvironment } from "../env/mod.ts";
import { boundsInForce } from "./mod.ts";

Deno.test("the variables of connections set the bounds of a server", () => {
  using _ = useEnvironment({
    MESH_GRPC_MAX_CONNECTIONS: "7",
    MESH_GRPC_MAX_UNADMITTED_PER_ADDRESS: "9000",
  });
  assert.deepEqual(boundsInForce(), {
    connections: 7,
    unadmittedOfAddress: 9000,
    unadmittedConnections: 9000,
  });
});
