/**
 * Automatic registration of workloads: WorkloadEntries made from WorkloadGroups while a proxy is
 * connected.
 *
 * @module
 */
export {
  type Registration,
  type RegistrationSourceOptions,
  startRegistration,
  type StreamObserver,
} from "./registration.ts";
export { GROUP_ANNOTATION } from "./entry.ts";
export type { RegisteredEntry } from "./types.ts";
