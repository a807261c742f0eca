import type { CommandSpec } from "../../../lib/kit/cli/mod.ts";
import { flag, MANIFESTS } from "./flags.ts";

/** Credentials for the API server of another cluster. */
export const createRemoteSecret: CommandSpec = {
  name: "create-remote-secret",
  summary: "Print a secret with credentials for this cluster's API server",
  description:
    "Prints a secret with which a daemon in another cluster reads this cluster. The token is\n" +
    "that of a service account; the secret of the token is made where it is missing.",
  examples: [
    "meshctl create-remote-secret --context=c1 --name=c1 --create-service-account |\n" +
    "    kubectl apply -f - --context=c2",
  ],
  flags: [
    flag("auth-plugin-config", "stringMap", "Settings of the auth plugin"),
    flag("auth-plugin-name", "string", "Name of the auth plugin; needs --auth-type=plugin"),
    flag("auth-type", "string", "How the control plane authenticates", {
      default: "bearer-token",
      choices: ["bearer-token", "plugin"],
    }),
    flag("create-service-account", "bool", "Create the service account with its roles"),
    MANIFESTS,
    flag("name", "string", "Name of the cluster; default: UID of the system namespace"),
    flag("secret-name", "string", "Name of the secret with the account's token"),
    flag("server", "string", "Address and port of the API server; default: that of the context"),
    flag("service-account", "string", "Service account; meshd for the type config", {
      default: "mesh-reader-service-account",
    }),
    flag("type", "string", "remote: its services are read; config: its objects, too", {
      default: "remote",
      choices: ["remote", "config"],
    }),
  ],
  run: async (call) => {
    const { openCluster } = await import("../../../lib/insight/cluster_access/mod.ts");
    const { createRemoteSecret } = await import("../../../lib/cluster/remote_secrets/mod.ts");
    return await createRemoteSecret(call, () => openCluster(call));
  },
};
