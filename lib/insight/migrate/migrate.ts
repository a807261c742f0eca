/**
 * One text of manifests: its objects, and the texts of YAML inside of them.
 *
 * @module
 */
import { type EditableDocument, editYaml, type Path, type YamlScalar } from "../../kit/text/mod.ts";
import { embeddedContent } from "./embedded.ts";
import { at, type Content, type Place, textAt } from "./place.ts";
import { readerRemarks } from "./reader.ts";
import type { Remark } from "./remark.ts";
import { collides, remarkOn } from "./remarks.ts";
import { newText } from "./rules.ts";
import { staysWhole } from "./whole.ts";

/** A text under the new names. */
export interface Migrated {
  readonly text: string;
  /** In order of their lines. */
  readonly remarks: readonly Remark[];
}

/**
 * Changes the names in a text of one or more documents. A text that has been changed stays as it is.
 *
 * @param file the name that the reader of configuration gives in its messages
 */
export function migrateText(text: string, file: string): Migrated {
  const remarks: Remark[] = [];
  const changed = migrated(text, undefined, remarks);
  remarks.push(...readerRemarks(changed, file));
  return { text: changed, remarks: remarks.sort((a, b) => a.line - b.line) };
}

/** The text with its new names; `content` is that of a text inside of an object. */
function migrated(text: string, content: Content | undefined, remarks: Remark[]): string {
  const { text: changed, problems } = editYaml(text, (document) => {
    const edits = new Map<YamlScalar, string>();
    for (const [object, path, scalars] of objectsOf(document)) {
      const reason = staysWhole(object);
      if (reason !== undefined) {
        const { line } = scalars[0]!;
        remarks.push({ line, field: "", level: "lost", ...reason });
        continue;
      }
      for (const scalar of scalars) {
        const place: Place = {
          scalar,
          content: content ?? contentOf(object),
          object,
          path: scalar.path.slice(path.length),
        };
        const now = newScalar(place, remarks);
        if (now !== scalar.text) edits.set(scalar, now);
      }
    }
    return edits;
  });
  for (const { line, message } of problems) {
    const remedy = "Correct the document; templates must be rendered before.";
    remarks.push({
      line,
      field: "",
      level: "lost",
      message: `no YAML: ${message.replace(/\.$/, "")}`,
      remedy,
    });
  }
  return changed;
}

function newScalar(place: Place, remarks: Remark[]): string {
  const { scalar } = place;
  const inside = embeddedContent(place);
  if (inside !== undefined) return newInside(place, inside, remarks);
  const now = newText(place);
  const remark = remarkOn(place, now);
  if (remark !== undefined) remarks.push(remark);
  return collides(place, now) ? scalar.text : now;
}

function newInside({ scalar, path }: Place, content: Content, remarks: Remark[]): string {
  const found: Remark[] = [];
  const now = migrated(scalar.text, content, found);
  for (const { line, field, ...rest } of found) {
    remarks.push({
      line: scalar.isBlock ? scalar.line + line : scalar.line,
      field: `${path.join(".")}: ${field}`,
      ...rest,
    });
  }
  return now;
}

/** The objects of a document: itself, or the items of a list. */
function* objectsOf(
  { value, scalars }: EditableDocument,
): Generator<readonly [object: unknown, path: Path, scalars: readonly YamlScalar[]]> {
  const items = textAt(value, "kind") === "List" ? at(value, ["items"]) : undefined;
  if (!Array.isArray(items)) return yield [value, [], scalars];
  for (const [index, item] of items.entries()) {
    const own = scalars.filter(({ path }) => path[0] === "items" && path[1] === index);
    if (own.length > 0) yield [item, ["items", index], own];
  }
}

/** Keys by which a document without a kind is known. */
const KEYS: readonly (readonly [Content, ReadonlySet<string>])[] = [
  [
    "values",
    new Set([
      ...[
        "global",
        "pilot",
        "meshConfig",
        "gateways",
        "istio_cni",
        "cni",
        "sidecarInjectorWebhook",
      ],
      ...["defaultRevision", "istiodRemote", "base", "revisionTags", "ztunnel", "autoscaling"],
    ]),
  ],
  [
    "mesh",
    new Set([
      ...["defaultConfig", "extensionProviders", "trustDomain", "accessLogFile", "rootNamespace"],
      ...["outboundTrafficPolicy", "defaultProviders", "enableAutoMtls", "discoverySelectors"],
    ]),
  ],
  ["networks", new Set(["networks"])],
];

function contentOf(document: unknown): Content {
  const kind = textAt(document, "kind");
  if (kind === "MeshConfig") return "mesh";
  if (kind === "MeshNetworks") return "networks";
  if (kind !== "" || typeof document !== "object" || document === null) return "objects";
  const keys = new Set(Object.keys(document));
  return KEYS.find(([, known]) => !keys.isDisjointFrom(known))?.[0] ?? "objects";
}
