/**
 * The network plugin: answers the calls of the container runtime (`verbs.ts`), decides what a pod
 * means (`decide.ts`, `pod_capture.ts`), sets the rules in the pod's network namespace (`apply.ts`),
 * listens for the helper on the node (`server.ts`), and proves that rules redirect (`proof.ts`).
 *
 * @module
 */
export { CNI_CODE, CniFault } from "./fault.ts";
export { type NodeVersions, versionsOfNode } from "./ip_versions.ts";
export { capturePod, type CapturePodOptions } from "./apply.ts";
export { decide, type Decision } from "./decide.ts";
export { nameserversOf } from "./nameservers.ts";
export { hostPaths } from "./netns.ts";
export { captureSettingsOf, type PodCase } from "./pod_capture.ts";
export { namespaceOfPod, type NamespaceSources } from "./pod_namespace.ts";
export { podReader } from "./pods.ts";
export { type PluginServer, servePlugin, type ServePluginOptions } from "./server.ts";
export type { IpVersion } from "./scratch.ts";
export { selfTest, type SelfTestOptions, type SelfTestResult } from "./proof.ts";
export type {
  AmbientPlugin,
  CniPod,
  NamespacePaths,
  NodeNameservers,
  PluginAnswer,
  PluginCall,
  PluginDeps,
  PodContainer,
  PodContainerStatus,
  PodReader,
  PodRef,
  PodVariable,
  RetryTimes,
} from "./types.ts";
export { answerPlugin } from "./verbs.ts";
