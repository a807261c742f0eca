/** Kinds whose status is written by the code that writes that of others of their group, which tests see. */
const REPORTED: Readonly<Record<string, readonly string[]>> = {
  "networking.mesh.io": [
    "dataproxyfilters",
    "destinationrules",
    "gateways",
    "proxyconfigs",
    "sidecars",
    "workloadgroups",
  ],
  "security.mesh.io": ["peerauthentications", "requestauthentications"],
  "extensions.mesh.io": ["wasmplugins"],
  "telemetry.mesh.io": ["telemetries"],
  "gateway.networking.k8s.io": ["backendtlspolicies", "grpcroutes", "tlsroutes", "udproutes"],
  "gateway.networking.x-k8s.io": ["xbackends", "xbackendtrafficpolicies", "xmeshes"],
};

const SHARING = "tests name another group of shared services (MCS_API_GROUP)";

/** Rights of the daemon that no request of the tests uses by itself, with the reason why it has them. */
export const UNUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(REPORTED).flatMap(([group, plurals]) =>
      plurals.map((plural) => [
        `patch ${plural}/status.${group}`,
        "the status of each kind is written by one function, and tests write that of other kinds",
      ])
    ),
  ),
  ...Object.fromEntries(
    ["serviceexports", "serviceimports"].flatMap((plural) =>
      ["list", "watch"].map((verb) => [`${verb} ${plural}.multicluster.x-orch.io`, SHARING])
    ),
  ),
  "create serviceexports.multicluster.x-orch.io": SHARING,
  "delete horizontalpodautoscalers.autoscaling":
    "objects of Gateways are deleted by one function, and tests delete those of other kinds",
  "update gateways/finalizers.gateway.networking.k8s.io":
    "servers with the plugin OwnerReferencesPermissionEnforcement ask for it when an owner is named",
  "approve signers.certificates.k8s.io": "the server asks for it when a request is approved",
};
