/**
 * The definitions of the custom resources on a real API server: it takes them, the samples and the
 * examples of the reference, and refuses objects with mistakes.
 */
import assert from "node:assert/strict";
import {
  applyObject,
  OrchError,
  type OrchObject,
  type ResourceType,
} from "../../lib/kit/orch/mod.ts";
import { checkObject, isCustom, KINDS, resourceDefinitions } from "../../lib/mesh/schema/mod.ts";
import { readYaml } from "../../lib/kit/text/mod.ts";
import { applyDefinitions, definitionsText } from "../../scripts/crds.ts";
import { fromFileUrl, join, walkFiles } from "../../scripts/paths.ts";
import { protoComments } from "../../scripts/reference.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { REFUSED } from "../support/refused_objects.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** The type of a document of Mesh's own groups; `undefined` for others. */
function typeOf({ apiVersion, kind }: OrchObject): ResourceType | undefined {
  const [group = "", version = ""] = apiVersion.split("/");
  const found = KINDS.find((one) => one.kind === kind && one.group === group && isCustom(one));
  if (found === undefined) return undefined;
  return { group, version, kind, plural: found.plural, namespaced: found.scope === "namespaced" };
}

async function documentsBelow(dir: string): Promise<[file: string, OrchObject][]> {
  const files = await walkFiles(join(ROOT, dir), ".yaml");
  const documents: [string, OrchObject][] = [];
  for (const file of files.sort()) {
    for (const { document } of readYaml(await Deno.readTextFile(file))) {
      const value = document?.value as OrchObject | null | undefined;
      if (value?.apiVersion && value.kind) documents.push([file, value]);
    }
  }
  return documents;
}

function inDefault(object: OrchObject): OrchObject {
  return { ...object, metadata: { ...object.metadata, namespace: "default" } };
}

const VIRTUAL_SERVICE_HTTP = "mesh.networking.v1alpha3.VirtualService.http";
const RULE = { apiVersion: "networking.mesh.io/v1", kind: "VirtualService" };
const WRONG: readonly (readonly [name: string, spec: unknown, says: RegExp])[] = [
  ["a misspelt field", { hosts: ["a"], htp: [] }, /htp/],
  ["a wrong type", { hosts: "a" }, /hosts/],
  [
    "a number that is too large",
    { hosts: ["a"], tcp: [{ match: [{ port: 5_000_000_000 }] }] },
    /port/,
  ],
];

clusterTest("a real API server takes the definitions, samples and examples", async (cluster, t) => {
  using client = await adminClient(cluster);
  await applyDefinitions(client);

  await t.step("every kind has a served definition without complaints of its schema", async () => {
    const { text } = await cluster.run(["get", "crds", "-o", "json"]);
    const { items } = JSON.parse(text);
    const expected = resourceDefinitions().map(({ metadata }) => metadata.name);
    const names = items.map(({ metadata }: OrchObject) => metadata.name).sort();
    assert.deepEqual(names, expected);
    for (const { metadata, status } of items) {
      const bad = status.conditions.filter((one: { type: string }) =>
        one.type === "NonStructuralSchema"
      );
      assert.deepEqual(bad, [], metadata.name);
    }
  });

  await t.step("kubectl applies the printed text, too", async () => {
    const args = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
    const { success, text } = await cluster.run(args, await definitionsText());
    assert.ok(success, text);
  });

  for (const dir of ["samples", "scripts/reference/examples"]) {
    await t.step(`documents of ${dir}`, async () => {
      let applied = 0;
      for (const [file, object] of await documentsBelow(dir)) {
        const type = typeOf(object);
        if (type === undefined) continue;
        const options = { manager: "test", dryRun: true };
        await applyObject(client, type, inDefault(object), options).catch((error) => {
          throw new Error(`${file}: ${error.message}`);
        });
        applied++;
      }
      assert.ok(applied > 5, `${applied} documents`);
    });
  }

  for (const [name, spec, says] of WRONG) {
    await t.step(`refused: ${name}`, async () => {
      const object = { ...RULE, metadata: { name: "wrong", namespace: "default" }, spec };
      const applied = applyObject(client, typeOf(object)!, object, { manager: "test" });
      await assert.rejects(applied, (error) => {
        // The server answers 500 when the field does not fit the schema of an applied object.
        assert.ok(error instanceof OrchError && error.status >= 400, `${error}`);
        assert.match(error.message, says);
        return true;
      });
    });
  }

  await t.step("objects that break a condition are refused, by Mesh's own rules, too", async () => {
    const wrong: string[] = [];
    for (const { kind, spec, says } of REFUSED) {
      const { group, versions } = KINDS.find((one) => one.kind === kind)!;
      const metadata = { name: "wrong", namespace: "default" };
      const object = { apiVersion: `${group}/${versions[0]}`, kind, metadata, spec };
      const applied = applyObject(client, typeOf(object)!, object, {
        manager: "test",
        dryRun: true,
      });
      const message = await applied.then(() => "it was accepted", (error) => error.message);
      const written = `${kind} ${JSON.stringify(spec)}`;
      if (!says.test(message)) wrong.push(`${written}: not ${says}: ${message}`);
      if (checkObject(object).problems.length === 0) wrong.push(`${written}: Mesh accepts it`);
    }
    assert.deepEqual(wrong, []);
  });

  await t.step("kubectl explains a field with the sentence of the reference", async () => {
    const { text } = await cluster.run(["explain", "virtualservices.spec.http"]);
    const [sentence] = (await protoComments()).get(VIRTUAL_SERVICE_HTTP)!.split(/(?<=\.) /);
    assert.ok(text.replaceAll(/\s+/g, " ").includes(sentence!), text);
  });
});
