/**
 * The Service and the pod of each Gateway of the Gateway API that the controller deploys. Pure.
 *
 * @module
 */
import type { PlainDocument } from "../../analyze/mod.ts";
import {
  deployedAccount,
  deployedName,
  type Gateway,
  type GatewayClass,
  isDeployed,
  roleOfClass,
} from "../../../mesh/gateway_api/mod.ts";
import { type ConfigObject, GATEWAY_NAME_LABEL } from "../../../mesh/model/mod.ts";

/** The documents that the controller would write for Gateways among objects. */
export function deployedBy(objects: readonly ConfigObject[]): PlainDocument[] {
  const classes = new Map(
    objects.filter((one) => one.meta.kind === "GatewayClass")
      .map((one) => [one.meta.name, one as GatewayClass]),
  );
  return objects.filter(({ meta }) => meta.kind === "KubernetesGateway")
    .flatMap((one) => documentsOf(one as Gateway, classes));
}

function documentsOf(
  { meta, spec }: Gateway,
  classes: ReadonlyMap<string, GatewayClass>,
): PlainDocument[] {
  const { gatewayClassName: className, listeners = [] } = spec;
  const role = roleOfClass(className, classes.get(className));
  if (role === undefined || role === "remote" || !isDeployed(spec)) return [];
  const { namespace, origin: { file = "", line = 1 } } = meta;
  const labels = { [GATEWAY_NAME_LABEL]: meta.name };
  const ports = new Map(listeners.map(({ name, port }) => [port, { name, port }]));
  const common = {
    group: "",
    namespace,
    name: deployedName(meta, className),
    labels,
    annotations: {},
    file,
    line,
  };
  return [
    {
      ...common,
      kind: "Service",
      value: { spec: { selector: labels, ports: [...ports.values()] } },
    },
    {
      ...common,
      kind: "Pod",
      // The proxy is in the template: none is injected beside it.
      annotations: { "sidecar.mesh.io/inject": "false" },
      value: { spec: { serviceAccountName: deployedAccount(meta, className).name } },
    },
  ];
}
