import assert from "node:assert/strict";
import { checkConfigFiles } from "./check_files.ts";
import { startFileSource } from "./file_source.ts";

const GOOD = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: test}
spec:
  hosts: [a.test]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: NONE
`;

/** Sets of files with mistakes. */
const MISTAKES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a duplicate in one file": { "a.yaml": `${GOOD}---\n${GOOD}` },
  "a duplicate in two files": { "b/a.yaml": GOOD, "a.yaml": GOOD },
  "a group of others": { "a.yaml": GOOD.replace("networking.mesh.io", "networking.other.io") },
  "a group of the mesh": { "a.yaml": GOOD.replace("networking", "security") },
  "a misspelt kind": { "a.yaml": GOOD.replace("ServiceEntry", "ServiceEntri") },
  "a kind that is not supported": {
    "a.yaml": GOOD.replace("networking", "extensions").replace("ServiceEntry", "TrafficExtension"),
  },
  "an unknown version": { "a.yaml": GOOD.replace("/v1", "/v9") },
  "no kind": { "a.yaml": GOOD.replace("kind: ServiceEntry\n", "") },
  "no name": { "a.yaml": GOOD.replace("name: a, ", "") },
  "an unknown field": { "a.yaml": GOOD.replace("hosts:", "hots:") },
  "a wrong type": { "a.yaml": GOOD.replace("[a.test]", "a.test") },
  "a wrong value": { "a.yaml": GOOD.replace("number: 80", "number: 70000") },
  "a key twice": { "a.yaml": `${GOOD}  resolution: DNS\n` },
  "YAML that does not parse": { "a.yaml": "a: [\n", "b.yaml": GOOD },
  "a list of objects": { "a.yaml": "- a\n- b\n" },
  "a file without text": { "a.yaml": "a: \u0000\n" },
  "an object of others": {
    "a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n",
  },
};

for (const [name, files] of Object.entries(MISTAKES)) {
  Deno.test(`checked files: rejected like in a running daemon: ${name}`, async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-check-" });
    try {
      for (const [path, text] of Object.entries(files)) {
        await Deno.mkdir(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
        await Deno.writeTextFile(`${dir}/${path}`, text);
      }
      const source = await startFileSource({
        dir,
        intake: { objects: () => {}, expecting: () => {}, health: () => {} },
      });
      const ofDaemon = source.problems().map(({ lastGoodServes: _, since: __, ...problem }) =>
        problem
      );
      const serving = source.objects().map(({ meta }) => `${meta.namespace}/${meta.name}`);
      await source.close();
      const checked = await checkConfigFiles([dir]);
      const below = (text: string) => text.replaceAll(`${dir}/`, "");
      const ofCheck = checked.problems.map((problem) => {
        const { lastGoodServes: _, ...rest } = { lastGoodServes: false, ...problem };
        return {
          ...rest,
          file: below(rest.file),
          message: below(rest.message),
          remedy: below(rest.remedy),
        };
      });
      assert.deepEqual(ofCheck, ofDaemon);
      assert.deepEqual(
        checked.objects.map(({ meta }) => `${meta.namespace}/${meta.name}`),
        serving,
      );
      assert.equal(ofCheck.length > 0, name !== "an object of others", name);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}
