/** `manifest` with a cluster: what is generated applies, and differences with what is there are shown. */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { clusterTest } from "../support/cluster.ts";
import { runInProcess } from "../support/program_run.ts";

clusterTest("generated manifests apply, and are compared with the cluster", async (cluster, t) => {
  const dir = await Deno.makeTempDir();
  await using _ = { [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
  const file = `${dir}/mesh.yaml`;
  const meshctl = async (...args: string[]) => {
    const [out, err, status] = await runInProcess(MESHCTL, [
      ...args,
      "-c",
      cluster.files.kubeconfig,
    ]);
    return { out, err, status };
  };
  const kubectl = async (...args: string[]) => {
    const { success, text } = await cluster.run(args);
    assert.ok(success, text);
    return text;
  };
  await kubectl("create", "namespace", "mesh-system");

  await t.step(
    "manifests that are generated for the cluster are accepted by its server",
    async () => {
      const set = ["--set", "profile=demo", "-r", "canary", "--cluster-specific"];
      const { out, err, status } = await meshctl("manifest", "generate", ...set);
      assert.deepEqual([err, status], ["", 0]);
      await Deno.writeTextFile(file, out);
      const before = await meshctl("manifest", "diff", file);
      assert.equal(before.status, 1);
      assert.match(before.out, /^Deployment:mesh-system:meshd-canary is only in /m);
      await kubectl("apply", "--server-side", "-f", file);
    },
  );

  await t.step("defaults of the server are no differences", async () => {
    const { out, err, status } = await meshctl("manifest", "diff", file);
    assert.deepEqual([out.replace(/\d+/, "N"), err, status], ["N objects are equal.\n", "", 0]);
  });

  await t.step(
    "changed, removed and unknown objects are shown, and nothing is written",
    async () => {
      const image = "deployment/meshd-canary";
      await kubectl("-n", "mesh-system", "set", "image", image, "discovery=own/pilot:1");
      await kubectl("-n", "mesh-system", "delete", "service", "mesh-egressgateway");
      const other = "apiVersion: own.example/v1\nkind: Own\nmetadata: { name: a }\n";
      await Deno.writeTextFile(file, `---\n${other}`, { append: true });
      for (let round = 0; round < 2; round++) {
        const { out, status } = await meshctl("manifest", "diff", file);
        assert.equal(status, 1);
        assert.match(
          out,
          /^Deployment:mesh-system:meshd-canary\n {2}~ spec\.template\.spec\.containers\[discovery\]\.image: \S+ → own\/pilot:1\n/m,
        );
        assert.match(out, /^Service:mesh-system:mesh-egressgateway is only in /m);
        assert.match(out, /^Own::a is only in /m);
        assert.match(out, /^1 objects differ, 2 only in \S+, 0 only in the cluster$/m);
      }
    },
  );
}, { roles: "none" });
