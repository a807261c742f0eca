/**
 * Permissions: the parts of a rule about the request (host, method, path, port).
 *
 * @module
 */
import { type Permission, PermissionSchema } from "#envoy/config/rbac/v3/rbac_pb.ts";
import type { Condition, Operation } from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import { create, type MessageInitShape } from "../../../kit/proto/mod.ts";
import { type ConditionKey, conditionKey } from "../../schema/mod.ts";
import { cidrRange } from "../core/mod.ts";
import type { Clause, ClauseContext } from "./clause.ts";
import { authorityPort, disguisedHost, headerMatch, hostMatch, serviceMatch } from "./hosts.ts";
import {
  disguisedMatch,
  isTemplate,
  pathMatch,
  templateMatch,
  templatePathMatch,
} from "./paths.ts";
import { textMatch } from "./text.ts";
import { anyValue, listOf, metadataMatch, textValue } from "./tokens.ts";

type Rule = NonNullable<MessageInitShape<typeof PermissionSchema>["rule"]>;

function permission(rule: Rule): Permission {
  return create(PermissionSchema, { rule });
}

export function operationClauses(
  operation: Operation,
  { http, library, connect }: ClauseContext,
): Clause<Permission>[] {
  const optional = <T>(make: (value: string) => T) => (value: string): T | undefined =>
    http ? make(value) : undefined;
  return [
    {
      values: operation.hosts,
      notValues: operation.notHosts,
      match: (host) => {
        if (connect) return permission({ case: "header", value: serviceMatch(host) });
        return http ? permission({ case: "header", value: hostMatch(host) }) : undefined;
      },
      disguised: (host) => {
        const value = disguisedHost(host);
        return value && permission({ case: "header", value });
      },
    },
    {
      values: operation.methods,
      notValues: operation.notMethods,
      match: optional((method) =>
        permission({ case: "header", value: headerMatch(":method", method) })
      ),
    },
    {
      values: operation.paths,
      notValues: operation.notPaths,
      match: optional((path) =>
        permission(
          !isTemplate(path)
            ? { case: "urlPath", value: pathMatch(path) }
            : library
            ? { case: "urlPath", value: templatePathMatch(path) }
            : { case: "uriTemplate", value: templateMatch(path) },
        )
      ),
      disguised: (path) => {
        const value = disguisedMatch(path);
        return value && permission({ case: "urlPath", value });
      },
    },
    {
      values: operation.ports,
      notValues: operation.notPorts,
      match: destinationPort(connect),
    },
  ];
}

/** Matches the port of a connection, or that of the authority of a tunnel. */
function destinationPort(connect: boolean | undefined): (port: string) => Permission {
  return (port) =>
    connect === true
      ? permission({ case: "header", value: authorityPort(port) })
      : permission({ case: "destinationPort", value: Number(port) });
}

/**
 * Returns the clause of a condition about the request or the connection; `undefined` if the
 * condition is about the caller.
 */
export function permissionClause(
  condition: Condition,
  { library, connect }: ClauseContext,
): Clause<Permission> | undefined {
  const key = conditionKey(condition.key);
  const { values, notValues } = condition;
  switch (key?.kind) {
    case "destination-ip":
      return { values, notValues, match: destinationIp };
    case "destination-port":
      return { values, notValues, match: destinationPort(connect) };
    case "server-name":
      return {
        values,
        notValues,
        // Libraries know no server name. A negative match would therefore always hold.
        match: (name) =>
          library ? undefined : permission({ case: "requestedServerName", value: textMatch(name) }),
      };
    case "filter":
      return {
        values,
        notValues,
        match: () => undefined,
        together: library ? undefined : (all) => filterValues(key, all),
      };
    default:
      return undefined;
  }
}

/** Validation of the kind has rejected addresses that do not parse. */
function destinationIp(block: string): Permission | undefined {
  const value = cidrRange(block);
  return value && permission({ case: "destinationIp", value });
}

/** Matches metadata of a filter; a value in brackets matches an element of a list. */
function filterValues(key: ConditionKey, values: readonly string[]): Permission {
  const matchers = values.map((value) =>
    value.startsWith("[") && value.endsWith("]")
      ? listOf(textValue(textMatch(value.slice(1, -1))))
      : textValue(textMatch(value))
  );
  return permission({
    case: "metadata",
    value: metadataMatch(key.filter, key.names, anyValue(matchers)),
  });
}
