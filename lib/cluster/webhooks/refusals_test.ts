/**
 * The webhook refuses what the daemon rejects when it reads an object of the API, with the same
 * message: valid objects are changed at one place each, and both are asked.
 */
import assert from "node:assert/strict";
import { walkFiles } from "../../../scripts/paths.ts";
import { DEFAULT_YAML_LIMITS, readYaml } from "../../kit/text/mod.ts";
import type { ListItem } from "../../kit/orch/mod.ts";
import { KINDS } from "../../mesh/schema/mod.ts";
import { readItem } from "../../mesh/sources/mod.ts";
import { answerValidation } from "./validation.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
/** Folders with valid objects; those of the corpora are used where they are. */
const FOLDERS = [
  `${ROOT}lib/mesh/translate/testdata/suites`,
  `${ROOT}samples`,
  ...["validation", "samples", "authz"].flatMap((name) => {
    const corpora = Deno.env.get("MESH_CORPORA");
    return corpora === undefined ? [] : [`${corpora}/${name}`];
  }),
];

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that a field may not have. */
const WRONG: readonly Json[] = ["(", "TLSS", "", -1, 70_000, true, [], {}, null];

/** Objects that differ at one place each: a value is another one, is missing, or has one more field. */
function* changes(value: Json, rest: (changed: Json | undefined) => Json): Iterable<Json> {
  for (const wrong of WRONG) yield rest(wrong);
  yield rest(undefined);
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) {
      yield* changes(
        one,
        (changed) =>
          rest(
            value.flatMap((other, i) =>
              i !== at ? [other] : changed === undefined ? [] : [changed]
            ),
          ),
      );
    }
    yield rest([...value, ...value]);
  } else if (typeof value === "object" && value !== null) {
    yield rest({ ...value, nonsense: 1 });
    for (const [name, one] of Object.entries(value)) {
      const { [name]: _, ...others } = value;
      yield* changes(
        one,
        (changed) => rest(changed === undefined ? others : { ...others, [name]: changed }),
      );
    }
  }
}

/** Objects of kinds that the folders do not have. */
const MORE: readonly { [name: string]: Json }[] = [
  {
    apiVersion: "networking.mesh.io/v1beta1",
    kind: "ProxyConfig",
    metadata: { name: "a" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      concurrency: 2,
      environmentVariables: { A: "b" },
      image: { imageType: "debug" },
    },
  },
  {
    apiVersion: "networking.mesh.io/v1",
    kind: "WorkloadGroup",
    metadata: { name: "a" },
    spec: {
      metadata: { labels: { app: "web" } },
      template: { ports: { http: 80 }, serviceAccount: "web" },
      probe: { httpGet: { port: 80, path: "/", httpHeaders: [{ name: "x", value: "y" }] } },
    },
  },
];

async function* objects(): AsyncIterable<{ [name: string]: Json }> {
  yield* MORE;
  for (const folder of FOLDERS) {
    for (const path of await walkFiles(folder, ".yaml")) {
      for (const { document } of readYaml(await Deno.readTextFile(path), DEFAULT_YAML_LIMITS)) {
        const value = document?.value as { [name: string]: Json } | undefined;
        if (kindOf(value) !== undefined) yield value!;
      }
    }
  }
}

function kindOf(value: Json | undefined) {
  const { apiVersion, kind } = (value ?? {}) as { apiVersion?: string; kind?: string };
  const [group] = `${apiVersion}`.split("/");
  return KINDS.find((one) => one.kind === kind && one.group === group && one.group !== "");
}

/** An object as items of lists have it; those that are changed keep their metadata. */
function withMetadata(value: { [name: string]: Json }): ListItem {
  const { metadata } = value;
  assert.ok(typeof metadata === "object" && metadata !== null && "name" in metadata);
  return { ...value, metadata: { ...metadata, name: String(metadata.name) } };
}

/** Reads an object as the daemon does, and asks the webhook. */
async function compare(value: { [name: string]: Json }): Promise<"taken" | "refused"> {
  const kind = kindOf(value)!;
  const { problems, object } = readItem(kind, withMetadata(value), "cluster/a");
  const { group, versions: [version = ""], plural: resource } = kind;
  const answer = await answerValidation({
    uid: "1",
    operation: "CREATE",
    namespace: "default",
    kind: { group, version, kind: kind.kind },
    resource: { group, version, resource },
    object: value,
  }, () => true);
  const shown = `${JSON.stringify(value)}: ${answer.message}`;
  assert.equal(answer.allowed, object !== undefined, shown);
  for (const { path, message } of problems.slice(0, 10)) {
    assert.ok(answer.message?.includes(`${path}: ${message}`), `${path}: ${message}; ${shown}`);
  }
  return answer.allowed ? "taken" : "refused";
}

/** Most objects of a kind that are changed. */
const MOST = 20;

Deno.test("the webhook refuses what the daemon rejects, with the same message", async () => {
  const counts = { taken: 0, refused: 0 };
  const kinds = new Map<string, number>();
  const seen = new Set<string>();
  for await (const { status: _, ...value } of objects()) {
    const { metadata, spec = {} } = value as { metadata: { name: string }; spec?: Json };
    const own = { ...value, metadata: { name: metadata.name, namespace: "default" } };
    const id = JSON.stringify([value.kind, spec]);
    if (seen.has(id)) continue;
    seen.add(id);
    const number = (kinds.get(`${value.kind}`) ?? 0) + 1;
    kinds.set(`${value.kind}`, number);
    if (number > MOST) continue;
    for (const changed of changes(spec, (changed) => changed ?? {})) {
      counts[await compare({ ...own, spec: changed })]++;
    }
  }
  assert.ok(kinds.size >= 14, [...kinds.keys()].join(", "));
  assert.ok(counts.refused > 10_000 && counts.taken > 1_000, JSON.stringify(counts));
});
