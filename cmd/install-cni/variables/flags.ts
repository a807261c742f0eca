/**
 * Environment variables of the program: the defaults of its flags.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../lib/kit/env/mod.ts";

const readers = ["install-cni"] as const;

/** Default of `--ambient-enabled`. */
export const AMBIENT_ENABLED: EnvVar<boolean> = declareEnv({
  name: "AMBIENT_ENABLED",
  type: "bool",
  default: false,
  doc: "Handle pods in ambient mode.",
  readers,
});

/** Default of `--chained-cni-plugin`. */
export const CHAINED_CNI_PLUGIN: EnvVar<boolean> = declareEnv({
  name: "CHAINED_CNI_PLUGIN",
  type: "bool",
  default: true,
  doc:
    "Add the plugin to the node's network configuration; false gives it a configuration of its own.",
  readers,
});

/** Default of `--cni-agent-run-dir`. */
export const CNI_AGENT_RUN_DIR: EnvVar<string> = declareEnv({
  name: "CNI_AGENT_RUN_DIR",
  type: "string",
  default: "/var/run/mesh-cni",
  doc: "Directory of the agent on the node: sockets, and the plugin's client configuration.",
  readers,
});

/** Default of `--cni-conf-name`. */
export const CNI_CONF_NAME: EnvVar<string | undefined> = declareEnv({
  name: "CNI_CONF_NAME",
  type: "string",
  doc: "Name of the network configuration that the plugin is added to; found when empty.",
  readers,
});

/** Default of `--cni-network-config`. */
export const CNI_NETWORK_CONFIG: EnvVar<string | undefined> = declareEnv({
  name: "CNI_NETWORK_CONFIG",
  type: "string",
  doc: "Template of the plugin's entry, as JSON; its fields win over those of other flags.",
  readers,
});

/** Default of `--cni-network-config-file`. */
export const CNI_NETWORK_CONFIG_FILE: EnvVar<string | undefined> = declareEnv({
  name: "CNI_NETWORK_CONFIG_FILE",
  type: "string",
  doc: "File with the template of the plugin's entry; wins over --cni-network-config.",
  readers,
});

/** Default of `--exclude-namespaces`. */
export const EXCLUDE_NAMESPACES: EnvVar<string | undefined> = declareEnv({
  name: "EXCLUDE_NAMESPACES",
  type: "string",
  doc: "Comma-separated namespaces whose pods the plugin leaves alone.",
  readers,
});

/** Default of `--log-level`. */
export const LOG_LEVEL: EnvVar<string> = declareEnv({
  name: "LOG_LEVEL",
  type: "string",
  default: "warn",
  doc: "Log level of the plugin, if the template has none.",
  readers,
});

/** Default of `--monitoring-port`. */
export const MONITORING_PORT: EnvVar<number> = declareEnv({
  name: "MONITORING_PORT",
  type: "int",
  default: 15014,
  doc: "Port that serves /metrics and /version; 0 for none.",
  readers,
});

/** Default of `--mounted-cni-net-dir`. */
export const MOUNTED_CNI_NET_DIR: EnvVar<string> = declareEnv({
  name: "MOUNTED_CNI_NET_DIR",
  type: "string",
  default: "/host/etc/cni/net.d",
  doc: "Directory of the node's network configurations, where it is mounted.",
  readers,
});

/** Default of `--orch-ca-file`. */
export const ORCH_CA_FILE: EnvVar<string | undefined> = declareEnv({
  name: "ORCH_CA_FILE",
  type: "string",
  doc:
    "File with the API server's authority, for the plugin's client configuration; that of the pod when empty.",
  readers,
});

/** Default of `--orchconfig-mode`. */
export const ORCHCONFIG_MODE: EnvVar<number> = declareEnv({
  name: "ORCHCONFIG_MODE",
  type: "int",
  default: 384,
  doc: "Mode of the plugin's client configuration; 384 is 0600.",
  readers,
});

/** Default of `--repair-broken-pod-label-key`. */
export const REPAIR_BROKEN_POD_LABEL_KEY: EnvVar<string> = declareEnv({
  name: "REPAIR_BROKEN_POD_LABEL_KEY",
  type: "string",
  default: "cni.mesh.io/uninitialized",
  doc: "Key of the label that broken pods get.",
  readers,
});

/** Default of `--repair-broken-pod-label-value`. */
export const REPAIR_BROKEN_POD_LABEL_VALUE: EnvVar<string> = declareEnv({
  name: "REPAIR_BROKEN_POD_LABEL_VALUE",
  type: "string",
  default: "true",
  doc: "Value of the label that broken pods get.",
  readers,
});

/** Default of `--repair-delete-pods`. */
export const REPAIR_DELETE_PODS: EnvVar<boolean> = declareEnv({
  name: "REPAIR_DELETE_PODS",
  type: "bool",
  default: false,
  doc: "Delete broken pods.",
  readers,
});

/** Default of `--repair-enabled`. */
export const REPAIR_ENABLED: EnvVar<boolean> = declareEnv({
  name: "REPAIR_ENABLED",
  type: "bool",
  default: false,
  doc: "Look for pods that started before the plugin was there.",
  readers,
});

/** Default of `--repair-field-selectors`. */
export const REPAIR_FIELD_SELECTORS: EnvVar<string | undefined> = declareEnv({
  name: "REPAIR_FIELD_SELECTORS",
  type: "string",
  doc: "Comma-separated label=value pairs: fields that pods must have to be looked at.",
  readers,
});

/** Default of `--repair-init-container-exit-code`. */
export const REPAIR_INIT_CONTAINER_EXIT_CODE: EnvVar<number> = declareEnv({
  name: "REPAIR_INIT_CONTAINER_EXIT_CODE",
  type: "int",
  default: 126,
  doc: "Exit code by which the init container says that the rules are missing.",
  readers,
});

/** Default of `--repair-init-container-name`. */
export const REPAIR_INIT_CONTAINER_NAME: EnvVar<string> = declareEnv({
  name: "REPAIR_INIT_CONTAINER_NAME",
  type: "string",
  default: "mesh-validation",
  doc: "Init container that fails if the rules are missing.",
  readers,
});

/** Default of `--repair-init-container-termination-message`. */
export const REPAIR_INIT_CONTAINER_TERMINATION_MESSAGE: EnvVar<string | undefined> = declareEnv({
  name: "REPAIR_INIT_CONTAINER_TERMINATION_MESSAGE",
  type: "string",
  doc: "Termination message that the init container must have; any when empty.",
  readers,
});

/** Default of `--repair-label-pods`. */
export const REPAIR_LABEL_PODS: EnvVar<boolean> = declareEnv({
  name: "REPAIR_LABEL_PODS",
  type: "bool",
  default: false,
  doc: "Label broken pods.",
  readers,
});

/** Default of `--repair-label-selectors`. */
export const REPAIR_LABEL_SELECTORS: EnvVar<string | undefined> = declareEnv({
  name: "REPAIR_LABEL_SELECTORS",
  type: "string",
  doc: "Comma-separated label=value pairs: labels that pods must have to be looked at.",
  readers,
});

/** Default of `--repair-node-name`. */
export const REPAIR_NODE_NAME: EnvVar<string | undefined> = declareEnv({
  name: "REPAIR_NODE_NAME",
  type: "string",
  doc: "Node whose pods are looked at; all when empty.",
  readers,
});

/** Default of `--repair-repair-pods`. */
export const REPAIR_REPAIR_PODS: EnvVar<boolean> = declareEnv({
  name: "REPAIR_REPAIR_PODS",
  type: "bool",
  default: false,
  doc: "Set the missing rules in broken pods of this node.",
  readers,
});

/** Default of `--repair-sidecar-annotation`. */
export const REPAIR_SIDECAR_ANNOTATION: EnvVar<string> = declareEnv({
  name: "REPAIR_SIDECAR_ANNOTATION",
  type: "string",
  default: "sidecar.mesh.io/status",
  doc: "Annotation of pods with a sidecar; other pods are not looked at.",
  readers,
});

/** Default of `--skip-tls-verify`. */
export const SKIP_TLS_VERIFY: EnvVar<boolean> = declareEnv({
  name: "SKIP_TLS_VERIFY",
  type: "bool",
  default: false,
  doc: "Let the plugin accept any certificate of the API server.",
  readers,
});

/** Default of `--ztunnel-uds-address`. */
export const ZTUNNEL_UDS_ADDRESS: EnvVar<string> = declareEnv({
  name: "ZTUNNEL_UDS_ADDRESS",
  type: "string",
  default: "/var/run/ztunnel/ztunnel.sock",
  doc: "Socket that the node's tunnel proxy connects to.",
  readers,
});
