import assert from "node:assert/strict";

Deno.test("the command of the README may read what the daemon reads", async () => {
  const read = (name: string) => Deno.readTextFile(new URL(`../${name}`, import.meta.url));
  const { permissions } = JSON.parse(await read("deno.json"));
  const paths = /--allow-read=(\S+) main\.ts/.exec(await read("README.md"))![1]!.split(",");
  // Absolute paths are those of a pod.
  const own = permissions["pilot-discovery"].read.filter((path: string) => path.startsWith("./"))
    .map((path: string) => path.slice("./".length));
  assert.deepEqual(paths, [...own, "DIR"]);
});
