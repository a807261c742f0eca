/**
 * Faults of manifests, as far as their Services and pods are read. Pure.
 *
 * @module
 */
import { type PlainDocument, podShapeOf } from "../../analyze/mod.ts";
import { isService } from "./services.ts";

/** Finds the fault of a value; `undefined`: there is none. The path is that of the value. */
type Check = (value: unknown, path: string) => string | undefined;

const text: Check = (value, path) =>
  typeof value === "string" ? undefined : `${path}: expected a string`;
const flag: Check = (value, path) =>
  typeof value === "boolean" ? undefined : `${path}: expected true or false`;
const count: Check = (value, path) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? undefined
    : `${path}: expected a whole number from 0`;
const port: Check = (value, path) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535
    ? undefined
    : `${path}: expected a port from 1 to 65535`;
const portOrName: Check = (value, path) =>
  typeof value === "string" ? undefined : port(value, path);

/** A list, each of whose elements is checked. `null` stands for none, as in the API. */
function list(element: Check): Check {
  return (value, path) => {
    if (value === null) return undefined;
    if (!Array.isArray(value)) return `${path}: expected a list`;
    for (const [at, one] of value.entries()) {
      const fault = element(one, `${path}[${at}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** A map, whose known fields are checked; others may have any value. */
function map(fields: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check {
  return (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return `${path}: expected a map`;
    }
    const own = new Map(Object.entries(value));
    const missing = needed.find((name) => !own.has(name));
    if (missing !== undefined) return `${path}.${missing}: required`;
    for (const [name, check] of Object.entries(fields)) {
      const fault = own.has(name) ? check(own.get(name), `${path}.${name}`) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** A map of strings. */
const texts: Check = (value, path) => {
  if (value === null) return undefined;
  const names = Object.keys(Object(value));
  return map(Object.fromEntries(names.map((name) => [name, text])))(value, path);
};

const SERVICE = map({
  type: text,
  clusterIP: text,
  externalName: text,
  selector: texts,
  ports: list(map({ port, name: text, targetPort: portOrName }, ["port"])),
});

const CONTAINERS = list(map({ ports: list(map({ name: text, containerPort: port })) }));
const POD = map({
  serviceAccountName: text,
  hostname: text,
  subdomain: text,
  hostNetwork: flag,
  containers: CONTAINERS,
  initContainers: CONTAINERS,
});

/** The fault of a Service or of a document with pods; `undefined` for documents without one. */
export function manifestFault(document: PlainDocument): string | undefined {
  const { kind, value } = document;
  if (isService(document)) return SERVICE(value.spec, "spec");
  const shape = podShapeOf(document);
  if (shape === undefined) return undefined;
  if (kind === "Pod") return POD(value.spec, "spec");
  const template = map({
    metadata: map({ labels: texts, annotations: texts }),
    spec: POD,
  }, ["spec"]);
  return map({ replicas: count, template }, ["template"])(value.spec, "spec");
}
