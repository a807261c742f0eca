/**
 * Objects of manifests: reading, selection by name, other names.
 *
 * @module
 */
import { dataError, type Io, readInput, usageError } from "../../kit/cli/mod.ts";
import { readYaml } from "../../kit/text/mod.ts";
import { identityOf, type NamedObject } from "./compare.ts";
import { isTree } from "./flat.ts";

/** Files with objects. */
const MANIFEST = /\.(ya?ml|json)$/;

/** The objects of a file, of standard input (`-`), or of all manifests below a directory. */
export async function readObjects(path: string, io: Io): Promise<readonly NamedObject[]> {
  const objects: NamedObject[] = [];
  for (const file of await filesOf(path)) {
    objects.push(...objectsIn(await readInput(file, io), file));
  }
  const seen = new Set<string>();
  for (const one of objects) {
    const identity = identityOf(one);
    if (seen.has(identity)) {
      throw dataError(`${path}: ${identity} occurs twice`, "Keep one of the two objects.");
    }
    seen.add(identity);
  }
  return objects;
}

async function filesOf(path: string): Promise<readonly string[]> {
  const info = path === "-" ? undefined : await Deno.stat(path).catch(() => undefined);
  if (info?.isDirectory !== true) return [path];
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    const inner = `${path.replace(/\/+$/, "")}/${name}`;
    if (isDirectory) found.push(...await filesOf(inner));
    else if (MANIFEST.test(name)) found.push(inner);
  }
  return found.sort();
}

function objectsIn(text: string, file: string): NamedObject[] {
  return [...readYaml(text)].flatMap(({ document, problem }) => {
    if (problem !== undefined) {
      const { line, column, message, remedy } = problem;
      throw dataError(`${file}:${line}:${column}: ${message}`, remedy);
    }
    const { value } = document;
    if (value === null) return [];
    const items = isTree(value) && value.kind === "List" && Array.isArray(value.items)
      ? value.items
      : [value];
    return items.map((one: unknown) => namedObject(one, `${file}:${document.line}`));
  });
}

function namedObject(object: unknown, place: string): NamedObject {
  const meta = isTree(object) && isTree(object.metadata) ? object.metadata : {};
  if (
    !isTree(object) || typeof object.apiVersion !== "string" || typeof object.kind !== "string" ||
    typeof meta.name !== "string"
  ) {
    throw dataError(
      `${place}: the document has no apiVersion, no kind, or no metadata.name`,
      "Give manifests of objects.",
    );
  }
  const namespace = typeof meta.namespace === "string" ? meta.namespace : "";
  const { apiVersion, kind } = object;
  const metadata = { ...meta, name: meta.name };
  return { kind, namespace, name: meta.name, object: { ...object, apiVersion, kind, metadata } };
}

/** A pattern of objects: `Kind:namespace:name`, each part with `*` for any text; left out means any. */
export function objectPattern(text: string): (one: NamedObject) => boolean {
  const parts = text.split(":");
  if (parts.length > 3 || text === "") {
    throw usageError(
      `${JSON.stringify(text)} is no pattern of objects`,
      "Write Kind:namespace:name, such as Deployment:*:meshd.",
    );
  }
  const tests = parts.map(wildcard);
  return ({ kind, namespace, name }) =>
    tests.every((test, at) => test.test([kind, namespace, name][at] ?? ""));
}

function wildcard(text: string): RegExp {
  const escaped = text.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${text === "" ? ".*" : escaped}$`, "i");
}

/** Other names of objects: `Kind:namespace:name` to `Kind:namespace:name`; `*` keeps a part. */
export function renamedObjects(
  objects: readonly NamedObject[],
  renames: ReadonlyMap<string, string>,
): readonly NamedObject[] {
  const rules = [...renames].map(([from, to]) => ({
    matches: objectPattern(from),
    to: to.split(":"),
  }));
  return objects.map((one) => {
    const rule = rules.find(({ matches }) => matches(one));
    if (rule === undefined) return one;
    const [kind = one.kind, namespace = one.namespace, name = one.name] = rule.to
      .map((part, at) =>
        part === "*" || part === "" ? [one.kind, one.namespace, one.name][at]! : part
      );
    const meta = one.object.metadata;
    const metadata = { ...meta, name, ...namespace === "" ? {} : { namespace } };
    return { kind, namespace, name, object: { ...one.object, kind, metadata } };
  });
}
