/**
 * Tables, the writer for them, and their translation. The daemon has one pipeline; what-if analyses,
 * simulations and replays make their own.
 *
 * @module
 */
import { createMesh, type Mesh } from "../derive/mod.ts";
import type { Graph } from "../graph/mod.ts";
import { type ChangeSet, createTableWriter, type TableWriter } from "../ingest/mod.ts";
import { createTranslation, type Translation, type TranslationOptions } from "./translation.ts";

/** Settings of a pipeline. */
export interface PipelineOptions extends TranslationOptions {
  /** The DNS suffix of the mesh. */
  readonly domain: string;
}

/** From written rows to published resources. */
export interface Pipeline {
  readonly mesh: Mesh;
  readonly writer: TableWriter;
  readonly translation: Translation;
  /** Writes changes in one transaction and publishes them; returns the revision. */
  apply(changes: ChangeSet): number;
}

/** Creates a pipeline in a graph, with empty tables. */
export function createPipeline(graph: Graph, options: PipelineOptions): Pipeline {
  const { domain, clusterId, features } = options;
  const mesh = createMesh(graph, {
    domain,
    clusterId,
    mergeEqualExports: features.mergeEqualExports,
    selectorsForApiGateways: features.selectorsForApiGateways,
  });
  const writer = createTableWriter(mesh, { scoping: features.enhancedScoping });
  const translation = createTranslation(mesh, options);
  return {
    mesh,
    writer,
    translation,
    apply: (changes) => {
      writer.write(changes);
      return translation.publish();
    },
  };
}
