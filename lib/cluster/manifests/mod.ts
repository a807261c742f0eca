/**
 * Commands about manifests and profiles: reading of documents, printing, comparing.
 *
 * @module
 */
export { chartsOf, type InputChange, operatorInput, reportPlan, USUAL_CLUSTER } from "./input.ts";
export { clusterFacts, type OpenCluster, type OpenedCluster, type ReadCluster } from "./cluster.ts";
export { generateManifests } from "./generate.ts";
export { translateManifests } from "./translate.ts";
export { diffProfiles, dumpProfile, listProfiles } from "./profiles.ts";
export { diffManifests } from "./diff.ts";
export { differenceLines, type FieldDifference, fieldDifferences } from "./compare.ts";
