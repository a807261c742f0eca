import { type FlagSpec, INTROSPECTION_FLAGS, LOG_FLAGS } from "../../lib/kit/cli/mod.ts";
import * as variables from "./variables/flags.ts";

/** Levels of the plugin's log. */
const LEVELS: readonly string[] = ["debug", "info", "warn", "error", "fatal", "none"];

/** The flags of the installation. Each can be given as a variable, in upper case with underscores. */
export const INSTALL_FLAGS: readonly FlagSpec[] = [
  {
    name: "ambient-enabled",
    type: "bool",
    env: variables.AMBIENT_ENABLED.name,
    description: "Handle pods in ambient mode",
  },
  {
    name: "chained-cni-plugin",
    type: "bool",
    default: "true",
    env: variables.CHAINED_CNI_PLUGIN.name,
    description:
      "Add the plugin to the node's network configuration; false gives it a configuration of its own",
  },
  {
    name: "cni-agent-run-dir",
    type: "string",
    default: "/var/run/mesh-cni",
    complete: "directory",
    env: variables.CNI_AGENT_RUN_DIR.name,
    description:
      "Directory of the agent on the node: sockets, and the plugin's client configuration",
  },
  {
    name: "cni-conf-name",
    type: "string",
    env: variables.CNI_CONF_NAME.name,
    description: "Name of the network configuration that the plugin is added to; found when empty",
  },
  {
    name: "cni-network-config",
    type: "string",
    env: variables.CNI_NETWORK_CONFIG.name,
    description:
      "Template of the plugin's entry, as JSON; its fields win over those of other flags",
  },
  {
    name: "cni-network-config-file",
    type: "string",
    complete: "file",
    env: variables.CNI_NETWORK_CONFIG_FILE.name,
    description: "File with the template of the plugin's entry; wins over --cni-network-config",
  },
  {
    name: "exclude-namespaces",
    type: "string",
    env: variables.EXCLUDE_NAMESPACES.name,
    description: "Comma-separated namespaces whose pods the plugin leaves alone",
  },
  {
    name: "log-level",
    type: "string",
    default: "warn",
    choices: LEVELS,
    env: variables.LOG_LEVEL.name,
    description: "Log level of the plugin, if the template has none",
  },
  {
    name: "monitoring-port",
    type: "int",
    default: "15014",
    env: variables.MONITORING_PORT.name,
    description: "Port that serves /metrics and /version; 0 for none",
  },
  {
    name: "mounted-cni-net-dir",
    type: "string",
    default: "/host/etc/cni/net.d",
    complete: "directory",
    env: variables.MOUNTED_CNI_NET_DIR.name,
    description: "Directory of the node's network configurations, where it is mounted",
  },
  {
    name: "orch-ca-file",
    type: "string",
    complete: "file",
    env: variables.ORCH_CA_FILE.name,
    description:
      "File with the API server's authority, for the plugin's client configuration; that of the pod when empty",
  },
  {
    name: "orchconfig-mode",
    type: "int",
    default: "384",
    env: variables.ORCHCONFIG_MODE.name,
    description: "Mode of the plugin's client configuration; 384 is 0600",
  },
  {
    name: "repair-broken-pod-label-key",
    type: "string",
    default: "cni.mesh.io/uninitialized",
    env: variables.REPAIR_BROKEN_POD_LABEL_KEY.name,
    description: "Key of the label that broken pods get",
  },
  {
    name: "repair-broken-pod-label-value",
    type: "string",
    default: "true",
    env: variables.REPAIR_BROKEN_POD_LABEL_VALUE.name,
    description: "Value of the label that broken pods get",
  },
  {
    name: "repair-delete-pods",
    type: "bool",
    env: variables.REPAIR_DELETE_PODS.name,
    description: "Delete broken pods",
  },
  {
    name: "repair-enabled",
    type: "bool",
    env: variables.REPAIR_ENABLED.name,
    description: "Look for pods that started before the plugin was there",
  },
  {
    name: "repair-field-selectors",
    type: "string",
    env: variables.REPAIR_FIELD_SELECTORS.name,
    description: "Comma-separated label=value pairs: fields that pods must have to be looked at",
  },
  {
    name: "repair-init-container-exit-code",
    type: "int",
    default: "126",
    env: variables.REPAIR_INIT_CONTAINER_EXIT_CODE.name,
    description: "Exit code by which the init container says that the rules are missing",
  },
  {
    name: "repair-init-container-name",
    type: "string",
    default: "mesh-validation",
    env: variables.REPAIR_INIT_CONTAINER_NAME.name,
    description: "Init container that fails if the rules are missing",
  },
  {
    name: "repair-init-container-termination-message",
    type: "string",
    env: variables.REPAIR_INIT_CONTAINER_TERMINATION_MESSAGE.name,
    description: "Termination message that the init container must have; any when empty",
  },
  {
    name: "repair-label-pods",
    type: "bool",
    env: variables.REPAIR_LABEL_PODS.name,
    description: "Label broken pods",
  },
  {
    name: "repair-label-selectors",
    type: "string",
    env: variables.REPAIR_LABEL_SELECTORS.name,
    description: "Comma-separated label=value pairs: labels that pods must have to be looked at",
  },
  {
    name: "repair-node-name",
    type: "string",
    env: variables.REPAIR_NODE_NAME.name,
    description: "Node whose pods are looked at; all when empty",
  },
  {
    name: "repair-repair-pods",
    type: "bool",
    env: variables.REPAIR_REPAIR_PODS.name,
    description: "Set the missing rules in broken pods of this node",
  },
  {
    name: "repair-sidecar-annotation",
    type: "string",
    default: "sidecar.mesh.io/status",
    env: variables.REPAIR_SIDECAR_ANNOTATION.name,
    description: "Annotation of pods with a sidecar; other pods are not looked at",
  },
  {
    name: "skip-tls-verify",
    type: "bool",
    env: variables.SKIP_TLS_VERIFY.name,
    description: "Let the plugin accept any certificate of the API server",
  },
  {
    name: "ztunnel-uds-address",
    type: "string",
    default: "/var/run/ztunnel/ztunnel.sock",
    complete: "file",
    env: variables.ZTUNNEL_UDS_ADDRESS.name,
    description: "Socket that the node's tunnel proxy connects to, with --ambient-enabled",
  },
];

/** Flags of all commands. */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  ...LOG_FLAGS,
  ...INTROSPECTION_FLAGS,
];
