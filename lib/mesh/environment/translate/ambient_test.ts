/** The variables of ambient mode, flipped in the environment. */
import assert from "node:assert/strict";
import { useEnvironment } from "../../../kit/env/mod.ts";
import { createGraph } from "../../graph/mod.ts";
import { createPipeline } from "../../translate/mod.ts";
import { readFeatures } from "./mod.ts";

Deno.test("PILOT_ENABLE_AMBIENT creates the tables of ambient mode", () => {
  for (const enabled of ["true", "false"]) {
    using _ = useEnvironment({ PILOT_ENABLE_AMBIENT: enabled });
    const options = { domain: "cluster.local", clusterId: "one", features: readFeatures() };
    const { mesh } = createPipeline(createGraph(), options);
    assert.equal(mesh.ambient !== undefined, enabled === "true");
  }
});
