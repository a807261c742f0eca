import assert from "node:assert/strict";
import { grpcBootstrapOf } from "./grpc_bootstrap.ts";

const NODE = {
  id: "id",
  cluster: "c",
  locality: { region: "north" },
  metadata: { NAMESPACE: "shop" },
};

Deno.test("gRPC programs get the agent's node and certificate", () => {
  const content = JSON.parse(
    grpcBootstrapOf({ node: NODE, xdsSocket: "/run/XDS", certificates: "/run/certs" }),
  );
  assert.deepEqual(content.node, { ...NODE, metadata: { NAMESPACE: "shop", GENERATOR: "grpc" } });
  assert.equal(content.certificate_providers.default.config.private_key_file, "/run/certs/key.pem");
  const plain = grpcBootstrapOf({ node: NODE, xdsSocket: "/run/XDS", certificates: undefined });
  assert.equal(JSON.parse(plain).certificate_providers, undefined);
});
