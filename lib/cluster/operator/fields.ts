/**
 * The fields of a MeshOperator.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";
import {
  BOOL,
  type Fields,
  type FieldType,
  listOf,
  MAP,
  mapOf,
  TEXT,
  TEXTS,
} from "./field_type.ts";
import { K8S_FIELDS } from "./k8s_fields.ts";

export const API_VERSION = "install.mesh.io/v1alpha1";
export const KIND = "MeshOperator";

const COMPONENT: Fields = {
  enabled: BOOL,
  hub: TEXT,
  k8s: mapOf(K8S_FIELDS),
  namespace: TEXT,
  tag: TEXT,
};

const GATEWAYS: FieldType = listOf(mapOf({ ...COMPONENT, label: TEXTS, name: TEXT }, ["name"]));

const SPEC: Fields = {
  compatibilityVersion: TEXT,
  components: mapOf({
    base: mapOf({ enabled: BOOL, k8s: mapOf(K8S_FIELDS) }),
    cni: mapOf(COMPONENT),
    egressGateways: GATEWAYS,
    ingressGateways: GATEWAYS,
    meshdRemote: mapOf(COMPONENT),
    pilot: mapOf(COMPONENT),
    ztunnel: mapOf(COMPONENT),
  }),
  hub: TEXT,
  installPackagePath: TEXT,
  meshConfig: MAP,
  namespace: TEXT,
  profile: TEXT,
  revision: TEXT,
  tag: TEXT,
  unvalidatedValues: MAP,
  values: MAP,
};

/** Fields of the parts of `spec`; a path of `--set` may begin with one. */
export const SPEC_NAMES: readonly string[] = Object.keys(SPEC);

/** A whole document. */
export const OPERATOR: FieldType = mapOf({
  apiVersion: TEXT,
  kind: TEXT,
  metadata: mapOf({ annotations: TEXTS, labels: TEXTS, name: TEXT, namespace: TEXT }),
  spec: mapOf(SPEC),
}, ["apiVersion", "kind"]);

/** The type of the field at a path of the document; `undefined` for what the table does not have. */
export function typeAt(path: Path): FieldType | undefined {
  let type: FieldType | undefined = OPERATOR;
  for (const step of path) {
    if (type?.kind === "fields") {
      type = Object.hasOwn(type.fields, step) ? type.fields[step] : undefined;
    } else if (type?.kind === "list") type = type.item;
    else if (type?.kind === "texts") type = TEXT;
    else return undefined;
  }
  return type;
}
