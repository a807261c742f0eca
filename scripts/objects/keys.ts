/**
 * Labels and annotations in the code.
 *
 * @module
 */
import { fromFileUrl, join, walkFiles } from "../paths.ts";

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
  const paths = (await Promise.all(["lib", "cmd"].map((dir) => walkFiles(join(ROOT, dir), ".ts"))))
    .flat().filter((path) => !/_(test|fuzz)\.ts$|proto\/gen\//.test(path));
  return await Promise.all(
    paths.sort().map(async (path) => ({
      path: path.slice(ROOT.length),
      text: (await Deno.readTextFile(path)).replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, ""),
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
  const [prefix, name] = [key.slice(0, at), key.slice(at)];
  return at > 0 && new RegExp(`(?<![\\w.])${RegExp.escape(prefix)}(?=["'\`%{ ]|\\$)`).test(text) &&
    new RegExp(`(?<![\\w.])${RegExp.escape(name)}(?!\\w)`).test(text);
}
