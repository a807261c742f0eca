/** Rights of the daemon that no request of the tests uses by itself, with the reason why it has them. */
export const UNUSED: Readonly<Record<string, string>> = {
  "update gateways/finalizers.gateway.networking.k8s.io":
    "servers with the plugin OwnerReferencesPermissionEnforcement ask for it when an owner is named",
  "approve signers.certificates.k8s.io": "the server asks for it when a request is approved",
};
