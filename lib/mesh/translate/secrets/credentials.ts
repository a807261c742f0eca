/**
 * Credentials: the secrets that Gateways and DestinationRules name (`credentialName`).
 *
 * @module
 */
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { text } from "../../graph/mod.ts";
import { changeKeys, labelsKeys, localityKeys, policiesOf } from "../../derive/mod.ts";
import {
  clientSecrets,
  credentialNames,
  credentialSecret,
  pullSecret,
  pullSecretName,
  pullSecretOf,
  type ReferredCredential,
  referredName,
  referredSecret,
} from "../../envoy/mod.ts";
import { configMapKey, credentialKey, objectKey } from "../../model/mod.ts";
import type { MeshContext } from "../context/mod.ts";
import { encodeResource, resourceTable } from "../resources/mod.ts";
import { type CredentialTables, referredKeys, secretKeys } from "./keys.ts";

/** Creates the tables. */
export function deriveCredentials({ mesh }: MeshContext): CredentialTables {
  return {
    ofGateways: mesh.graph.derive(
      "gateway.credentials",
      labelsKeys,
      (read, scope): readonly string[] => {
        const ports = read.get(mesh.gatewayPorts, scope);
        const names = ports.flatMap(({ servers }) =>
          servers.flatMap(({ tls }) => {
            const named = tls && credentialNames(tls);
            return named === undefined ? [] : [...named.certificates, named.authorities ?? ""];
          })
        );
        const client = mesh.clientCertificates.nameFor(read, scope) ?? "";
        return [...new Set([...names, client])].filter((name) => name !== "").sort();
      },
    ),
    ofRules: mesh.graph.derive<readonly string[], string>("rule.credentials", text, (read) => {
      const names = read.members(mesh.indexes.credentialRules, "all");
      return [...new Set([...names].flatMap(clientSecrets))].sort();
    }),
    ofLocality: mesh.graph.derive<readonly string[], string>(
      "place.credentials",
      text,
      (read, locality) => {
        const rules = localityKeys.decode(locality).rules
          .map((key) => read.get(mesh.tables.destinationRules, key))
          .filter((row) => row !== undefined);
        const names = rules.flatMap(({ spec }) =>
          policiesOf(spec).map(({ tls }) => tls?.credentialName ?? "")
        );
        return [...new Set(names.filter((name) => name !== "").flatMap(clientSecrets))].sort();
      },
    ),
    ...derivePullSecrets(mesh),
    referred: deriveReferred(mesh),
    policyAuthorities: deriveReferred(mesh, "policies"),
    secrets: resourceTable(mesh.graph, "sds.gateway", secretKeys, (read, key) => {
      const { cluster, namespace, name } = key;
      const secret = credentialSecret(name, namespace, (named) => {
        const at = credentialKey(cluster, named);
        const credential = read.get(mesh.credentials, at);
        if (credential !== undefined) {
          read.decide?.({
            group: "credential",
            source: "environment",
            field: "MESH_CREDENTIAL_DIR",
            value: at,
          });
        }
        return credential;
      });
      return secret === undefined ? [] : [encodeResource(name, SecretSchema, secret)];
    }),
  };
}

/**
 * Secrets of the daemon's own cluster that Gateways of the proxies' namespace, or BackendTLSPolicies,
 * refer to. The reference is what allows a proxy to have them.
 *
 * @param of whose references count: `policies` alone, whose authorities are no secret, or all
 */
function deriveReferred(
  mesh: MeshContext["mesh"],
  of: "policies" | "all" = "all",
): CredentialTables["referred"] {
  const { references } = mesh.gatewayApi;
  const name = of === "all" ? "sds.referred" : "sds.policyAuthorities";
  return resourceTable(mesh.graph, name, referredKeys, (read, { namespace, name }) => {
    const isIt = (one: ReferredCredential) => referredName(one) === name;
    const ofGateways = of === "all" ? read.get(references.ofGateways, namespace) : [];
    const found = ofGateways.find(isIt) ?? read.get(references.ofPolicies, "all").find(isIt);
    if (found === undefined) return [];
    const at = found.kind === "ConfigMap" ? configMapKey(found) : objectKey(found);
    const secret = referredSecret(found, read.get(mesh.credentials, at));
    return secret === undefined ? [] : [encodeResource(name, SecretSchema, secret)];
  });
}

/** Pull secrets of WasmPlugins. */
function derivePullSecrets(
  mesh: MeshContext["mesh"],
): Pick<CredentialTables, "ofPlugins" | "pullSecrets"> {
  return {
    ofPlugins: mesh.graph.derive<readonly string[], string>(
      "plugin.credentials",
      text,
      (read, changes) => {
        const named = changeKeys.decode(changes).flatMap((ref) => {
          const plugin = "plugin" in ref && read.get(mesh.tables.wasmPlugins, ref.plugin);
          const secret = plugin ? pullSecretOf(plugin.spec, `WasmPlugin/${ref.plugin}`) : undefined;
          return secret?.credential ?? [];
        });
        return [...new Set(named)].sort();
      },
    ),
    pullSecrets: resourceTable(mesh.graph, "sds.pull", secretKeys, (read, key) => {
      const { cluster, namespace, name } = key;
      const resource = pullSecretName(namespace, name);
      const at = credentialKey(cluster, objectKey({ namespace, name }));
      const secret = pullSecret(resource, read.get(mesh.credentials, at));
      return secret === undefined ? [] : [encodeResource(resource, SecretSchema, secret)];
    }),
  };
}
