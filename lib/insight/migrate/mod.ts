/**
 * Manifests of an Istio mesh under the names of Mesh: groups, kinds, labels, annotations, fields,
 * namespaces, hosts. Only names change; comments, order and layout of a text stay. What cannot be kept
 * is a remark with line, field and remedy. Pure.
 *
 * @module
 */
export { type Migrated, migrateText } from "./migrate.ts";
export type { Remark } from "./remark.ts";
