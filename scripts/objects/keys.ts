/**
 * Labels and annotations in the code.
 *
 * @module
 */
import { fromFileUrl, join, sourceFiles, walkFiles } from "../paths.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** Names of labels and annotations: of the domains of the field, and those without a domain. */
const KEY =
  /(?<![\w./-])((?:[a-z0-9-]+\.)*(?:mesh\.io|kubernetes\.io|k8s\.io|openshift\.io|prometheus\.io|cncf\.io|datadoghq\.com)\/[A-Za-z](?:[\w.-]*\w)?|mesh-injection|mesh-locality|mesh\/multiCluster|(?:rollouts-)?pod-template-hash)(?![\w/-])/g;

/** A file without its comments. */
export interface CodeFile {
  readonly path: string;
  readonly text: string;
}

/** The code of the programs, without tests. */
export async function codeFiles(): Promise<CodeFile[]> {
  const paths = (await Promise.all(["lib", "cmd"].map((dir) => sourceFiles(join(ROOT, dir)))))
    .flat().filter((path) => !/_(test|fuzz)\.ts$|proto\/gen\//.test(path));
  return await Promise.all(
    paths.sort().map(async (path) => ({
      path: path.slice(ROOT.length),
      text: withoutComments(await Deno.readTextFile(path)),
    })),
  );
}

/** The names of labels and annotations in a text. */
export function keysIn(text: string): Set<string> {
  return new Set([...text.matchAll(KEY)].map(([, key]) => key!));
}

/** Reports if a file has a key, whole or as its prefix and its name. */
export function names({ text }: Pick<CodeFile, "text">, key: string): boolean {
  if (keysIn(text).has(key)) return true;
  const at = key.lastIndexOf("/") + 1;
  if (at === 0) return new RegExp(`\\blabels\\??\\.${key}\\b|["'\`]${key}(?=["'\`=])`).test(text);
  const [prefix, name] = [key.slice(0, at), key.slice(at)];
  return at > 0 && new RegExp(`(?<![\\w.])${RegExp.escape(prefix)}(?=["'\`%{ ]|\\$)`).test(text) &&
    new RegExp(`(?<![\\w.])${RegExp.escape(name)}(?!\\w)`).test(text);
}

/** Texts of a path that nearly every object has: they tell no field from another. */
const ROOTS: ReadonlySet<string> = new Set(["metadata", "spec", "status", "data"]);

/** Number of characters around a field in which a test has the field above it. */
const NEAR = 2_000;

/**
 * Reports if the code of a test has a field: its name as a whole word and, near it, the name of the
 * field above it (`ports[].port`: `port` near `ports`). Comments do not count.
 */
export function hasField(text: string, path: string): boolean {
  const key = /^(.*)\[([^[\]]+)\]$/.exec(path);
  const names = (key?.[1] ?? path).replaceAll("[]", "").split(".");
  const name = key?.[2] ?? names.pop()!;
  const above = names.pop();
  const code = withoutComments(text);
  return [...code.matchAll(wordOf(name))].some(({ index }) => {
    const near = code.slice(Math.max(0, index - NEAR), index + NEAR);
    return above === undefined || ROOTS.has(above) || near.search(wordOf(above)) >= 0;
  });
}

/** Reports if the code of a test has a text. Comments do not count. */
export function hasText(text: string, mention: string): boolean {
  return withoutComments(text).includes(mention);
}

/** A name as a key (`port`, `"tls.key"`) or as a property (`.port`). */
function wordOf(name: string): RegExp {
  const text = RegExp.escape(name);
  const property = name.includes(".") ? "" : `|(?<=\\w[?!]?\\.)${text}(?!\\w)`;
  return new RegExp(`(?<![\\w.-])${text}(?![\\w-])${property}`, "g");
}

/** The text with empty lines in the place of comments. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*(?:\/\*\*|\*|\/\/|# ).*$/gm, "");
}

/** Reports if a file runs tests, or a file beside or above it that does imports it. */
export async function isTest(path: string): Promise<boolean> {
  if (/_test\.ts$/.test(path)) return true;
  const [folder, name] = [
    path.slice(0, path.lastIndexOf("/")),
    path.slice(path.lastIndexOf("/") + 1),
  ];
  const above = folder.slice(0, folder.lastIndexOf("/"));
  const tests = (await walkFiles(join(ROOT, above), ".ts")).filter((one) =>
    one.endsWith("_test.ts")
  );
  for (const one of tests) {
    const text = await Deno.readTextFile(one);
    if (text.includes(`/${name}"`) || text.includes(`${folder.slice(above.length + 1)}"`)) {
      return true;
    }
  }
  return false;
}
