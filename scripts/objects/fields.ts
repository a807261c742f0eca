/**
 * Fields of the orchestrator's objects that the code reads: the properties of the interfaces that describe
 * these objects.
 *
 * @module
 */
import type { CodeFile } from "./keys.ts";

/** The kinds of the objects that interfaces describe, by the names of the interfaces. */
const KINDS: Readonly<Record<string, string>> = {
  AddressedNode: "Node",
  ApiNode: "Node",
  ApiPod: "Pod",
  ApiService: "Service",
  ApiSlice: "EndpointSlice",
  ExportedService: "Service",
  GatewayPod: "Pod",
  GatewayService: "Service",
  Ingress: "Ingress",
  NodeItem: "Node",
  PluginPod: "Pod",
  PortedService: "Service",
};

/** Interfaces of objects that the table does not describe field by field. */
const OTHER_INTERFACES: readonly string[] = [
  "ApiImport",
  "ConfigMapItem",
  "EntryItem",
  "BesideItem",
  "GatewayApiItem",
  "GatewayClassItem",
  "GatewayItem",
  "HeartbeatItem",
  "IngressClass",
  "ListenerSetItem",
  "RootConfigMap",
  "StatusItem",
];

/** A field that the code reads. */
export interface ReadField {
  readonly kind: string;
  /** The path without brackets, such as `spec.ports.port`. */
  readonly path: string;
}

const FOLDERS = /^lib\/(?:mesh\/sources\/orchestrator|cluster\/controllers)\//;
const INTERFACE = /\binterface (\w+)(?: extends (\w+))? \{/g;

/**
 * The fields of all interfaces of objects.
 *
 * @throws Error for an interface whose kind is unknown here
 */
export function readFields(files: readonly CodeFile[]): ReadField[] {
  return files.filter(({ path }) => FOLDERS.test(path)).flatMap(({ path, text }) => {
    const bodies = new Map<string, number>();
    for (const { 1: name, index, 0: head } of text.matchAll(INTERFACE)) {
      bodies.set(name!, index + head.length);
    }
    return [...text.matchAll(INTERFACE)].flatMap(([, name, base]) => {
      if (base !== "ListItem" || OTHER_INTERFACES.includes(name!)) return [];
      const kind = KINDS[name!];
      if (kind === undefined) throw new Error(`${path}: ${name} has no kind in ${import.meta.url}`);
      return leaves(text, bodies, bodies.get(name!)!).paths.map((one) => ({ kind, path: one }));
    });
  });
}

const MEMBER = /\s*(?:readonly )?(\w+)\??: /y;

/** The paths of the properties that have none themselves, from behind a brace to its end. */
function leaves(
  text: string,
  bodies: ReadonlyMap<string, number>,
  start: number,
): { readonly paths: string[]; readonly end: number } {
  const paths: string[] = [];
  let at = start;
  for (;;) {
    MEMBER.lastIndex = at;
    const [head, name] = MEMBER.exec(text) ?? [];
    if (head === undefined) return { paths, end: text.indexOf("}", at) + 1 };
    const type = typeAt(text, bodies, at + head.length);
    at = type.end;
    paths.push(...type.paths.length === 0 ? [name!] : type.paths.map((one) => `${name}.${one}`));
  }
}

/** The properties of a type, which ends at a semicolon or before a brace. */
function typeAt(
  text: string,
  bodies: ReadonlyMap<string, number>,
  start: number,
): { readonly paths: string[]; readonly end: number } {
  const paths: string[] = [];
  let at = start;
  while (text[at] !== ";" && text[at] !== "}") {
    const [word] = /^\w+/.exec(text.slice(at, at + 100)) ?? [];
    if (text[at] === "{") {
      const inner = leaves(text, bodies, at + 1);
      paths.push(...inner.paths);
      at = inner.end;
    } else if (word !== undefined) {
      const body = bodies.get(word);
      if (body !== undefined) paths.push(...leaves(text, bodies, body).paths);
      at += word.length;
    } else at++;
  }
  return { paths, end: text[at] === ";" ? at + 1 : at };
}

/** Reports if a row is about a field, a field above it or one below it. */
export function covers(row: string, path: string): boolean {
  const plain = row.replaceAll("[]", "");
  return plain === path || path.startsWith(`${plain}.`) || plain.startsWith(`${path}.`);
}
