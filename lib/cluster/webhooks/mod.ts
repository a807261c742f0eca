/**
 * Admission webhooks: injection and validation over HTTPS, and the configurations by which the API
 * server calls them.
 *
 * @module
 */
export { type ConfigurationSync, syncConfigurations } from "./configurations.ts";
export { type FollowedInjection, followInjectionConfig, injectionConfigMap } from "./config_map.ts";
export type { InjectionSettings, SelectedPod } from "./injection.ts";
export { type MissedPodsOptions, tellMissedPods } from "./missed_pods.ts";
export { type NativeSidecars, nativeSidecars, type VersionSource } from "./native_sidecars.ts";
export { answerPath, type WebhookPaths } from "./routes.ts";
export {
  type HttpsAnswer,
  type HttpsRequest,
  type HttpsServer,
  type ServerCertificate,
  startHttps,
} from "./server.ts";
export {
  ENABLE_NATIVE_SIDECARS,
  INJECT_ENABLED,
  INJECTION_WEBHOOK_CONFIG_NAME,
  VALIDATION_WEBHOOK_CONFIG_NAME,
} from "./variables.ts";
