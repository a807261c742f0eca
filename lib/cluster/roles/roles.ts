/**
 * The rights that the daemon needs in a cluster, as objects of the API `rbac.authorization.k8s.io`.
 *
 * @module
 */
import { PLUGGED_SECRET, SELF_SIGNED_SECRET } from "../ca/mod.ts";
import {
  PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER,
  PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS,
  ROOT_CONFIG_MAP,
} from "../controllers/mod.ts";
import {
  type AccountOptions,
  accountRoles,
  type RoleObject,
  type RoleRule,
  rule,
} from "./objects.ts";
import { isGatewayGroup, VERSIONED_DEFINITION } from "../../mesh/gateway_api/mod.ts";
import { isCustom, KINDS } from "../../mesh/schema/mod.ts";
import { ENABLE_MCS_AUTO_EXPORT, MCS_API_GROUP } from "../../mesh/sources/mod.ts";

/** Names that the roles contain. */
export interface RoleOptions extends AccountOptions {
  /** Names of signers of CertificateSigningRequests that the daemon may use; `DOMAIN/*` names all of a domain. */
  readonly signers: readonly string[];
  /** API group of ServiceExports and ServiceImports (`MCS_API_GROUP`). */
  readonly sharingGroup: string;
  /** The daemon removes taints of nodes (`PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS`). */
  readonly untaint: boolean;
  /** The daemon creates ServiceExports (`ENABLE_MCS_AUTO_EXPORT`). */
  readonly autoExport: boolean;
  /** The daemon deploys Gateways (`PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER`). */
  readonly deployGateways: boolean;
}

/** The names of an installation in a namespace whose daemon has the variables of this environment. */
export function defaultRoleOptions(namespace = "mesh-system"): RoleOptions {
  return {
    namespace,
    account: "meshd",
    signers: [],
    sharingGroup: MCS_API_GROUP.get(),
    untaint: PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS.get(),
    autoExport: ENABLE_MCS_AUTO_EXPORT.get(),
    deployGateways: PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER.get(),
  };
}

/** Usual service account of a daemon in a remote cluster that it reads. */
export const READER_ACCOUNT = "meshd-reader";

const GATEWAY_API = "gateway.networking.k8s.io";
const CERTIFICATES = "certificates.k8s.io";
const FOLLOW = ["list", "watch"];
/** Server-side apply of an object that may not exist yet. */
const APPLY = ["create", "patch"];

/** The service account of a daemon, its roles, and their bindings. */
export function daemonRoles(options: RoleOptions): RoleObject[] {
  return accountRoles(options, { cluster: clusterRules(options), system: SYSTEM_RULES });
}

/** The service account of a remote cluster's secret, with what a daemon of another cluster reads there. */
export function readerRoles(options: RoleOptions): RoleObject[] {
  return accountRoles(options, { cluster: readerRules(options) });
}

/** In every cluster: services with their endpoints, namespaces, and credentials of gateways. */
function readerRules({ sharingGroup }: RoleOptions): RoleRule[] {
  return [
    rule("", ["namespaces", "nodes", "pods", "secrets", "services"], FOLLOW),
    rule("discovery.k8s.io", ["endpointslices"], FOLLOW),
    // Pods that call for others of their node (`CA_TRUSTED_NODE_ACCOUNTS`).
    rule("", ["pods"], ["get"]),
    rule(sharingGroup, ["serviceexports", "serviceimports"], FOLLOW),
    // Endpoints outside the cluster, of its Services and of ServiceEntries.
    rule("networking.mesh.io", ["workloadentries"], FOLLOW),
    // Who calls, and whether a gateway may read secrets.
    rule("authentication.k8s.io", ["tokenreviews"], ["create"]),
    rule("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
  ];
}

/** In the system namespace: the CA's secrets, the daemon's settings, elections and heartbeats. */
const SYSTEM_RULES: readonly RoleRule[] = [
  named(rule("", ["secrets"], ["get", "update"]), [SELF_SIGNED_SECRET, PLUGGED_SECRET]),
  // A request that creates an object has no name that a rule could compare.
  rule("", ["secrets"], ["create"]),
  rule("", ["configmaps"], FOLLOW),
  rule("coordination.k8s.io", ["leases"], ["get", "update", "delete", ...FOLLOW, ...APPLY]),
  // The validation webhook is tried with a Gateway that is not stored.
  rule("networking.mesh.io", ["gateways"], ["create"]),
];

function clusterRules(options: RoleOptions): RoleRule[] {
  const { signers, sharingGroup, untaint, autoExport, deployGateways } = options;
  return [
    ...readerRules(options),
    ...resourceRules(),
    // Registration of workloads outside the cluster.
    rule("networking.mesh.io", ["workloadentries"], ["delete", ...APPLY]),
    // Root certificates in every namespace.
    named(rule("", ["configmaps"], [...FOLLOW, ...APPLY]), [ROOT_CONFIG_MAP]),
    // Users that OpenShift gives to the pods of a namespace.
    rule("", ["namespaces"], ["get"]),
    // Events of pods whose Envoy exited.
    rule("", ["events"], APPLY),
    // The taint of nodes without the CNI plugin.
    ...untaint ? [rule("", ["nodes"], ["patch"])] : [],
    rule("networking.k8s.io", ["ingresses", "ingressclasses"], FOLLOW),
    rule("networking.k8s.io", ["ingresses/status"], ["patch"]),
    // Conditions of ambient mode.
    rule("", ["services/status"], ["patch"]),
    rule(
      "admissionregistration.k8s.io",
      ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
      ["get", "update", ...FOLLOW],
    ),
    ...autoExport ? [rule(sharingGroup, ["serviceexports"], ["create"])] : [],
    // Authorities that Gateways and BackendTLSPolicies refer to, and parameters of Gateways.
    rule("", ["configmaps"], FOLLOW),
    // The Gateway API: what Gateways consist of. The classes of the mesh are created.
    rule(GATEWAY_API, ["gatewayclasses", "gateways", "listenersets"], FOLLOW),
    rule(GATEWAY_API, ["gatewayclasses"], ["create"]),
    // The version of the definitions.
    named(rule("apiextensions.k8s.io", ["customresourcedefinitions"], FOLLOW), [
      VERSIONED_DEFINITION,
    ]),
    ...deployGateways ? gatewayRules() : [],
    ...signers.length === 0 ? [] : signerRules(signers),
  ];
}

/** The objects that run Gateways. */
function gatewayRules(): RoleRule[] {
  const verbs = ["get", "delete", ...FOLLOW, ...APPLY];
  return [
    rule("", ["serviceaccounts", "services"], verbs),
    rule("apps", ["deployments"], verbs),
    rule("autoscaling", ["horizontalpodautoscalers"], verbs),
    rule("policy", ["poddisruptionbudgets"], verbs),
    // An owner of objects, where the server asks for this right.
    rule(GATEWAY_API, ["gateways/finalizers"], ["update"]),
  ];
}

/** Custom resources: they are read, and the status of Mesh's own and of the Gateway API is written. */
function resourceRules(): RoleRule[] {
  const groups = Map.groupBy(KINDS.filter(({ group }) => group !== ""), ({ group }) => group);
  return [...groups].flatMap(([group, kinds]) => {
    const plurals = kinds.map(({ plural }) => plural).sort();
    const read = rule(group, plurals, FOLLOW);
    if (!isCustom({ group }) && !isGatewayGroup(group)) return [read];
    const reported = plurals.filter((plural) => plural !== "referencegrants");
    return [read, rule(group, reported.map((plural) => `${plural}/status`), ["patch"])];
  });
}

/** Certificates by signers of the cluster. */
function signerRules(names: readonly string[]): RoleRule[] {
  return [
    rule(CERTIFICATES, ["certificatesigningrequests"], ["create", "get", "delete"]),
    rule(CERTIFICATES, ["certificatesigningrequests/approval"], ["update"]),
    named(rule(CERTIFICATES, ["signers"], ["approve"]), names),
  ];
}

/** A rule for objects of these names only; lists and watches must select one of them. */
function named(rule: RoleRule, resourceNames: readonly string[]): RoleRule {
  return { ...rule, resourceNames };
}
