/**
 * The new text of a key or value, by its place.
 *
 * @module
 */
import { newNames } from "../../mesh/schema/mod.ts";
import { isMeshConfigMap } from "./embedded.ts";
import { newClass, newDomain, newField, newKey, newNamesIn, newVariable } from "./names.ts";
import {
  at,
  groupOf,
  isForeignObject,
  isInLabels,
  isSettings,
  isVariableKey,
  isVariableName,
  type Place,
  textAt,
} from "./place.ts";
import { isOpaque } from "./opaque.ts";

/** The new text of a scalar; its own where nothing changes. */
export function newText(place: Place): string {
  return place.scalar.role === "key" ? newKeyText(place) : newValueText(place);
}

function newKeyText(place: Place): string {
  const { scalar: { text }, content, object, path } = place;
  if (isOpaque(place)) return text;
  if (isInLabels(place)) return newKey(text);
  if (isVariableKey(place)) return newVariable(text);
  if (isSettings(place)) return newField(text);
  if (content === "objects" && isForeignObject(object) && path[0] === "spec") {
    return OBJECT_FIELDS[text] ?? text;
  }
  return newDomain(text);
}

/** Fields of objects that have another name. */
const OBJECT_FIELDS: Readonly<Record<string, string>> = { enableIstioTags: "enableMeshTags" };

function newValueText(place: Place): string {
  const { scalar: { text }, object, path } = place;
  if (isOpaque(place)) return text;
  const last = path.at(-1);
  return identity(place) ?? className(place) ??
    (isVariableName(place) ? newVariable(text) : undefined) ??
    (isInLabels(place) ? newLabelValue(String(last), text) : undefined) ??
    provider(place) ?? FIXED[text] ??
    (last === "image" || last === "hub" ? text : undefined) ??
    (last === "name" && path.length === 2 && isMeshConfigMap(object)
      ? text.replace(/^istio(?=$|-)/, "mesh")
      : undefined) ??
    newNamesIn(newDomain(newRoleResource(place) ?? text));
}

/** Words of enumerations. */
const FIXED: Readonly<Record<string, string>> = { ISTIO_MUTUAL: "MESH_MUTUAL" };

/** Versions of kinds that no reader of configuration knows. */
const OTHER_VERSIONS: Readonly<Record<string, string>> = {
  MeshOperator: "install.mesh.io/v1alpha1",
};

/** `apiVersion` and `kind` of an object, or of what refers to one. */
function identity({ scalar: { text }, object, path }: Place): string | undefined {
  const last = path.at(-1);
  if (last !== "apiVersion" && last !== "kind" && last !== "group") return undefined;
  const beside = at(object, path.slice(0, -1));
  const group = textAt(beside, "group") || groupOf(beside);
  const names = newNames(group, textAt(beside, "kind"));
  if (names === undefined) return undefined;
  if (last === "kind") return names.kind;
  if (last === "group") return newDomain(text);
  const version = text.slice(text.indexOf("/") + 1);
  const written = `${names.group}/${version}`;
  if (OTHER_VERSIONS[names.kind] !== undefined) return OTHER_VERSIONS[names.kind];
  return names.versions.includes(version) ? written : names.apiVersion ?? written;
}

const CLASS_KINDS: ReadonlySet<string> = new Set(["GatewayClass", "IngressClass"]);

function className({ scalar: { text }, object, path }: Place): string | undefined {
  const [last] = path.slice(-1);
  const isName = path.length === 2 && path[0] === "metadata" && last === "name" &&
    CLASS_KINDS.has(textAt(object, "kind"));
  return isName || last === "gatewayClassName" || last === "ingressClassName" ||
      last === "ingressClass" || last === "kubernetes.io/ingress.class"
    ? newClass(text)
    : undefined;
}

function newLabelValue(key: string, text: string): string | undefined {
  if (/^security\.(istio|mesh)\.io\/tlsMode$/.test(key) && text === "istio") return "mesh";
  if (key === "kubernetes.io/ingress.class") return newClass(text);
  return undefined;
}

/** The provider of access logs that every mesh has. */
function provider({ scalar: { text }, path, content, object }: Place): string | undefined {
  if (text !== "envoy") return undefined;
  const isTelemetry = textAt(object, "kind") === "Telemetry" && path.includes("accessLogging") &&
    path.includes("providers");
  const isDefault = content !== "objects" || textAt(object, "kind") === "IstioOperator";
  return isTelemetry ||
      (isDefault && (path.includes("defaultProviders") || path.includes("extensionProviders")))
    ? "dataproxy"
    : undefined;
}

/** Names of resources in rules of roles and webhooks. */
const RESOURCES: Readonly<Record<string, string>> = {
  envoyfilters: "dataproxyfilters",
  istiooperators: "meshoperators",
};

function newRoleResource({ scalar: { text }, path }: Place): string | undefined {
  if (path.at(-2) !== "resources" || typeof path.at(-1) !== "number") return undefined;
  const [plural = "", ...rest] = text.split("/");
  return Object.hasOwn(RESOURCES, plural) ? [RESOURCES[plural], ...rest].join("/") : undefined;
}
