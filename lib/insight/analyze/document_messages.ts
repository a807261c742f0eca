/**
 * Analysis of documents: runs the analyzers whose inputs a set can have.
 *
 * @module
 */
import { byText } from "./order.ts";
import { type ClusterDocuments, documentSet, type SetSettings } from "./document_set.ts";
import { type Message, messageOfFinding } from "./message.ts";
import type { PlainDocument } from "./plain.ts";
import { DOCUMENT_ANALYZERS } from "./registry.ts";

export interface DocumentRun extends SetSettings {
  /** True: also the analyzers that run only on request. */
  readonly all?: boolean;
  /** Names of the analyzers to run; default: all. */
  readonly analyzers?: readonly string[];
  /** The documents of each cluster of a mesh with several. */
  readonly clusters?: readonly ClusterDocuments[];
}

/** The messages about documents, sorted by object and code. An object that is given twice counts once. */
export function analyzeDocuments(
  documents: readonly PlainDocument[],
  { all = false, clusters = [], analyzers, ...settings }: DocumentRun,
): readonly Message[] {
  const unique = new Map(
    documents.map((one) => [JSON.stringify([one.group, one.kind, one.namespace, one.name]), one]),
  );
  const set = documentSet([...unique.values()], settings, clusters);
  const wanted = DOCUMENT_ANALYZERS.filter(({ name }) => analyzers?.includes(name) ?? true);
  return wanted.flatMap(({ analyze, onRequest, kinds }) =>
    onRequest === true && !all || set.of(kinds[0]!).length === 0 && isNeeded(kinds[0]!)
      ? []
      : [...analyze(set)].map(({ on, ...finding }) => messageOfFinding(finding, on, on))
  ).sort(byText);
}

/** Kinds without which an analyzer would report everything as missing. */
function isNeeded(kind: string): boolean {
  return kind === "Namespace" || kind === "Secret";
}
