/**
 * Bounds on untrusted text, so that a hostile file costs at most a fraction of a second and a few
 * megabytes.
 *
 * @module
 */

/** Bounds for reading YAML. */
export interface YamlLimits {
  /** Bytes of a whole file. */
  readonly fileBytes: number;
  /** UTF-16 units of one document. */
  readonly documentLength: number;
  /** Nested collections. */
  readonly depth: number;
  /** Line breaks, commas and other characters after which a node may start, in one document. */
  readonly nodes: number;
  /** Nodes that aliases expand to, in one document. */
  readonly aliasNodes: number;
  /** UTF-16 units of scalars that aliases expand to, in one document. */
  readonly aliasLength: number;
}

/**
 * Defaults: a file of 8 MiB, a document of 2 MiB (the orchestrator stores no
 * object above 1.5 MiB) with at most 100,000 nodes, nested 100 deep.
 */
export const DEFAULT_YAML_LIMITS: YamlLimits = {
  fileBytes: 8 * 1024 * 1024,
  documentLength: 2 * 1024 * 1024,
  depth: 100,
  nodes: 100_000,
  aliasNodes: 20_000,
  aliasLength: 1024 * 1024,
};
