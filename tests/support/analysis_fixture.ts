/**
 * Analysis of documents, for tests of analyzers.
 *
 * @module
 */
import { objectsOf, testMeshConfig } from "./mesh_fixture.ts";
import type { ObjectChange } from "../../lib/mesh/ingest/mod.ts";
import { type ConfigObject, objectKey } from "../../lib/mesh/model/mod.ts";
import type { ParsedObject, TableKind } from "../../lib/mesh/schema/mod.ts";
import {
  type Analysis,
  type AnalysisChanges,
  createAnalysis,
  renderMessage,
} from "../../lib/insight/analyze/mod.ts";

/** The changes that add documents. */
export function changesOf(yaml: string): ObjectChange[] {
  return objectsOf(yaml).map((object) => ({
    kind: object.meta.kind as TableKind,
    key: objectKey(object.meta),
    object,
  }));
}

/** An analysis that is complete. */
export function analysisOf(yaml: string, more: AnalysisChanges = {}): Analysis {
  const analysis = createAnalysis({ domain: "cluster.local", now: () => performance.now() });
  analysis.apply({ mesh: testMeshConfig(), objects: changesOf(yaml), complete: true, ...more });
  while (!analysis.work(5));
  return analysis;
}

/** The messages of documents as text, without positions and remedies. */
export function messagesOf(yaml: string, more: AnalysisChanges = {}): string[] {
  return shortMessages(analysisOf(yaml, more));
}

/** `MSH0101 VirtualService/test/a: spec.…: sentence`. */
export function shortMessages(analysis: Analysis): string[] {
  return analysis.messages().map((one) =>
    `${one.code} ${renderMessage({ ...one, file: "", remedy: "" }).replace(/\. +\[MSH\d+\]$/, "")}`
  );
}

/** Parsed objects as a source hands them on. */
export function objectsOfParsed(objects: readonly ParsedObject[]): ConfigObject[] {
  return objects.map(({ kind, meta: { line, creationTime = 0, ...rest }, spec, digest }) => ({
    meta: {
      kind,
      ...rest,
      creationTime,
      generation: 1,
      origin: { source: "file", file: "case.yaml", line },
    },
    spec,
    digest,
  }));
}
