/**
 * The client configuration with which the plugin reads pods.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import { type OrchconfigSettings, PLUGIN } from "../settings.ts";

const CLUSTER = "local";
const CONTEXT = "mesh-cni-context";

/** Contents of the files of the service account. */
export interface OrchCredentials {
  readonly token: string;
  /** Certificates of the server's authority; empty with `skipTlsVerify`. */
  readonly ca: Uint8Array<ArrayBuffer>;
}

/**
 * The text of the configuration: JSON, which is YAML too, and which the plugin reads without a library.
 *
 * @throws MeshError `cni-no-api-server` when the address of the API server is not known
 */
export function orchconfigText(settings: OrchconfigSettings, credentials: OrchCredentials): string {
  const { skipTlsVerify } = settings;
  const { token, ca } = credentials;
  const config = {
    apiVersion: "v1",
    clusters: [{
      cluster: {
        ...skipTlsVerify
          ? { "insecure-skip-tls-verify": true }
          : { "certificate-authority-data": ca.toBase64() },
        server: serverOf(settings),
      },
      name: CLUSTER,
    }],
    contexts: [{ context: { cluster: CLUSTER, user: PLUGIN }, name: CONTEXT }],
    "current-context": CONTEXT,
    kind: "Config",
    preferences: {},
    users: [{ name: PLUGIN, user: { token } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function serverOf({ protocol, host, port }: OrchconfigSettings): string {
  if (host === "" || port === "") {
    throw new MeshError(
      "cni-no-api-server",
      `the address of the API server is not known: ${
        host === "" ? "KUBERNETES_SERVICE_HOST" : "KUBERNETES_SERVICE_PORT"
      } is not set`,
      { remedy: "Run in a pod of the cluster, or set both variables." },
    );
  }
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return `${protocol}://${bare.includes(":") ? `[${bare}]` : bare}:${port}`;
}
