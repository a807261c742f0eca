/**
 * Settings of the installation on one node, as plain data.
 *
 * @module
 */

/** The type and name of the plugin, and the name of its binary. */
export const PLUGIN = "mesh-cni";

/** Name of the client configuration of the plugin, in the run directory. */
export const ORCHCONFIG = "mesh-cni-orchconfig";

/** The network configuration of a plugin that is not chained, unless another name is given. */
export const STANDALONE_NAME = "YYY-mesh-cni.conf";

/** Everything that an installation depends on. */
export interface InstallSettings {
  /** The plugin in the image. */
  readonly binarySource: string;
  /** Directory of the node's plugins. */
  readonly binaryDir: string;
  /** Directory of the agent: sockets, and the client configuration. */
  readonly runDir: string;
  readonly orchconfig: OrchconfigSettings;
  /** Directory of the node's network configurations. */
  readonly netDir: string;
  /** Name of the network configuration; empty: the one that the node uses. */
  readonly confName: string;
  /** True: the plugin is added to a network configuration; false: it has one of its own. */
  readonly chained: boolean;
  readonly entry: EntrySettings;
  /** Names this process; the journal has that of the process which installed last. */
  readonly instance: string;
}

/** Settings of the client configuration. */
export interface OrchconfigSettings {
  /** Host of the API server; an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: string;
  readonly protocol: string;
  /** File with the token of the service account. */
  readonly tokenFile: string;
  /** File with the certificates of the API server's authority. */
  readonly caFile: string;
  /** True: the server's certificate is not checked, and the authority is left out. */
  readonly skipTlsVerify: boolean;
  /** Mode of the file. */
  readonly mode: number;
}

/** Settings of the plugin's entry in a network configuration. */
export interface EntrySettings {
  /** Level of the plugin's log, if the template has none. */
  readonly logLevel: string;
  readonly excludeNamespaces: readonly string[];
  /** Pods in ambient mode start with the agent alone. */
  readonly ambientEnabled?: boolean;
  /** Namespace of the agent; empty: not written. */
  readonly podNamespace: string;
  /** A JSON object whose fields take the place of those that are built here; empty: none. */
  readonly template: string;
  /** Source of the template, for messages. */
  readonly templateFrom: string;
}
