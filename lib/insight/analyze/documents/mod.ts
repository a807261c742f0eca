/**
 * Analyzers of documents, one file each. They read objects of the orchestrator, which only commands
 * and the orchestrator's client have; the daemon does not run them.
 *
 * @module
 */
export { AMBIENT_MODE } from "./ambient_mode.ts";
export { AMBIENT_SIDECARS } from "./ambient_sidecars.ts";
export { ALPHA_ANNOTATIONS, ANNOTATION_USE } from "./annotations.ts";
export { CLAIM_ROUTES } from "./claim_routes.ts";
export { CLUSTER_SERVICES } from "./cluster_services.ts";
export { CONDITIONS } from "./conditions.ts";
export { EXTERNAL_CONTROL_PLANE } from "./external_control_plane.ts";
export { GATEWAY_PORTS } from "./gateway_ports.ts";
export { GATEWAY_SECRETS } from "./gateway_secrets.ts";
export { GATEWAY_SELECTORS } from "./gateway_selectors.ts";
export { IMAGE_AUTO } from "./image_auto.ts";
export { INEFFECTIVE_METADATA } from "./ineffective_keys.ts";
export { INJECTED_IMAGE } from "./injected_image.ts";
export { INJECTION } from "./injection.ts";
export { IP_VERSIONS } from "./ip_versions.ts";
export { KEY_SET_FETCHES } from "./key_set_fetches.ts";
export { NETWORK_PLUGIN } from "./network_plugin.ts";
export { NETWORKS } from "./networks.ts";
export { POD_UID } from "./pod_uid.ts";
export { POLICY_NAMESPACES } from "./policy_namespaces.ts";
export { PORT_NAMES } from "./port_names.ts";
export { REMOVED_DEFINITIONS } from "./removed_definitions.ts";
export { SEVERAL_SERVICES } from "./several_services.ts";
export { WEBHOOKS } from "./webhooks.ts";
