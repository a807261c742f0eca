/**
 * Certificates that Gateways and rules name: which, and the secrets they are.
 *
 * @module
 */
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { deriveTelling, labelsKeys, localityKeys, policiesOf } from "../../derive/mod.ts";
import { clientSecrets, credentialNames, credentialSecret } from "../../envoy/mod.ts";
import type { Derived, Resource } from "../../graph/mod.ts";
import type { Context } from "../context/mod.ts";
import { encodeResource, sameResources, splitKey } from "../resources/mod.ts";

/** The tables of credentials. */
export interface CredentialTables {
  /** scope → names of the secrets that the servers of its Gateways are made with. */
  readonly named: Derived<readonly string[]>;
  /** Key `""` → names of the secrets that rules for everybody's hosts may name. */
  readonly ofRules: Derived<readonly string[]>;
  /** Place → those that rules for certain workloads name. */
  readonly ofPlace: Derived<readonly string[]>;
  /** `NS|secret` → the secret, for proxies of the namespace. */
  readonly secrets: Derived<readonly Resource[]>;
}

/** Creates the tables. */
export function deriveCredentials({ mesh }: Context): CredentialTables {
  return {
    named: mesh.graph.derive<readonly string[]>("gateway.credentials", (read, scope) => {
      const names = read.get(mesh.gatewayPorts, labelsKeys.decode(scope)).flatMap(({ servers }) =>
        servers.flatMap(({ tls }) => {
          const found = tls && credentialNames(tls);
          return found === undefined ? [] : [...found.certificates, found.authorities ?? ""];
        })
      );
      return [...new Set(names)].filter((name) => name !== "").sort();
    }),
    ofRules: mesh.graph.derive<readonly string[]>("rule.credentials", (read) => {
      const names = read.members(mesh.indexes.credentialRules, "all");
      return [...new Set([...names].flatMap(clientSecrets))].sort();
    }),
    ofPlace: mesh.graph.derive<readonly string[]>("place.credentials", (read, place) => {
      const rules = localityKeys.decode(place).rules
        .map((key) => read.get(mesh.tables.destinationRules, key))
        .filter((row) => row !== undefined);
      const names = rules.flatMap(({ spec }) =>
        policiesOf(spec).map(({ tls }) => tls?.credentialName ?? "")
      );
      return [...new Set(names.filter((name) => name !== "").flatMap(clientSecrets))].sort();
    }),
    secrets: deriveTelling<readonly Resource[]>(mesh.graph, "sds.gateway", (read, key, tell) => {
      const [namespace = "", name = ""] = splitKey(key, 2);
      const secret = credentialSecret(name, namespace, (at) => {
        const found = read.get(mesh.credentials, at);
        if (found !== undefined) {
          tell?.({
            group: "credential",
            source: "environment",
            field: "MESH_CREDENTIAL_DIR",
            value: at,
          });
        }
        return found;
      });
      return secret === undefined ? [] : [encodeResource(name, SecretSchema, secret)];
    }, { equal: sameResources }),
  };
}
