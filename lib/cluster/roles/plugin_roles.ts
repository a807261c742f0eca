/**
 * The rights that the network plugin needs in a cluster.
 *
 * @module
 */
import { type AccountOptions, accountRoles, type RoleObject, rule } from "./objects.ts";

/** Names that the roles contain, and what the plugin does with pods that it could not redirect. */
export interface PluginRoleOptions extends AccountOptions {
  /** It finds them, and says so in events. */
  readonly repairs: boolean;
  /** It writes a label of them. */
  readonly labels: boolean;
  /** It deletes them. */
  readonly deletes: boolean;
  /** It follows pods in ambient mode, and announces them. */
  readonly ambient: boolean;
  /** Its pods need a context of security that the platform gives by a right. */
  readonly isOpenShift: boolean;
}

/** The DaemonSet of the plugin, and its service account. */
const DAEMON_SET = "mesh-cni-node";
const ACCOUNT = "mesh-cni";

/** The rights of the chart without values of the user. */
export function defaultPluginRoleOptions(namespace = "mesh-system"): PluginRoleOptions {
  const repair = { repairs: true, labels: false, deletes: false };
  return { namespace, account: ACCOUNT, ...repair, ambient: false, isOpenShift: false };
}

/** The service account of the plugin, its roles, and their bindings. */
export function pluginRoles(options: PluginRoleOptions): RoleObject[] {
  const { repairs, labels, deletes, ambient, isOpenShift } = options;
  return accountRoles(options, {
    cluster: [
      // The plugin reads the pod that starts.
      rule("", ["pods"], ["get"]),
      ...repairs ? [rule("", ["pods"], ["list", "watch"])] : [],
      ...repairs ? [rule("", ["events"], ["create"])] : [],
      ...labels ? [rule("", ["pods"], ["patch"])] : [],
      ...deletes ? [rule("", ["pods"], ["delete"])] : [],
      ...ambient
        ? [
          rule("", ["namespaces", "pods"], ["get", "list", "watch"]),
          rule("", ["pods/status"], ["patch"]),
        ]
        : [],
      ...isOpenShift
        ? [{
          ...rule("security.openshift.io", ["securitycontextconstraints"], ["use"]),
          resourceNames: ["privileged"],
        }]
        : [],
    ],
    // Its pod ends for an upgrade or for good: the DaemonSet tells.
    system: [{ ...rule("apps", ["daemonsets"], ["get"]), resourceNames: [DAEMON_SET] }],
  });
}
