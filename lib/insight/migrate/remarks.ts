/**
 * Remarks on a scalar: names of Istio that stay, and parts without a counterpart.
 *
 * @module
 */
import { formatPath } from "../../mesh/schema/mod.ts";
import { ANNOTATIONS } from "../analyze/mod.ts";
import { isOwnImage } from "./names.ts";
import { isPatchValue } from "./opaque.ts";
import { at, isInLabels, type Place, textAt } from "./place.ts";
import type { Remark } from "./remark.ts";

/** A rule: what it says about a scalar with its new text. */
type Rule = (place: Place, now: string) => Omit<Remark, "line" | "field"> | undefined;

/** The first rule that has something to say about a scalar. */
export function remarkOn(place: Place, now: string): Remark | undefined {
  for (const rule of RULES) {
    const found = rule(place, now);
    if (found === undefined) continue;
    const { line, isBlock } = place.scalar;
    const offset = isBlock ? Math.max(0, firstLineWith(now, /istio/i)) + 1 : 0;
    return { line: line + offset, field: formatPath(place.path), ...found };
  }
  return undefined;
}

function firstLineWith(text: string, pattern: RegExp): number {
  return text.split("\n").findIndex((line) => pattern.test(line));
}

/** A key that is there under its new name already. */
const collision: Rule = ({ scalar, object, path }, now) => {
  if (scalar.role !== "key" || now === scalar.text) return undefined;
  const beside = at(object, path.slice(0, -1));
  if (typeof beside !== "object" || beside === null || !Object.hasOwn(beside, now)) {
    return undefined;
  }
  return {
    level: "lost",
    message: `${scalar.text} stays: ${now} is there, too`,
    remedy: `Remove ${scalar.text}, or the other one.`,
  };
};

/** True if a key would be written twice. */
export function collides(place: Place, now: string): boolean {
  return collision(place, now) !== undefined;
}

const record: Rule = ({ scalar: { role, text }, path }) =>
  role === "value" && path.at(-1) === "kubectl.kubernetes.io/last-applied-configuration" &&
    text.includes("istio")
    ? {
      level: "check",
      message: "the record of a tool has the object's former names",
      remedy: "Remove the annotation; apply the object again.",
    }
    : undefined;

const annotation: Rule = ({ scalar: { role, text }, path }, now) => {
  if (role !== "key" || now === text || path.at(-2) !== "annotations") return undefined;
  if (ANNOTATIONS.has(now)) return undefined;
  return {
    level: "check",
    message: `the annotation ${now} is not known and has no effect`,
    remedy: "Remove it; docs/objects.md has all annotations.",
  };
};

/** Extensions that only Istio's build of Envoy has. */
const EXTENSION = /\bistio[._](?:stats|metadata_exchange|alpn|authn)\b|istio\.(?:envoy|io)\b/i;

const patch: Rule = (place, now) => {
  if (!isPatchValue(place) || !/istio/i.test(now)) return undefined;
  if (EXTENSION.test(now) && !now.includes("\n")) {
    return {
      level: "lost",
      message: `${now} is an extension of Istio's build of Envoy; proxies here have Envoy's own`,
      remedy:
        "Remove the patch. Telemetry objects set metrics and logs; mutual TLS needs no patch.",
    };
  }
  return {
    level: "check",
    message: "the patch names data of Istio that proxies here do not have",
    remedy: "Rewrite what names istio: metadata, headers and filter state have other names.",
  };
};

const wasm: Rule = ({ scalar: { role }, object, path }, now) =>
  role === "value" && textAt(object, "kind") === "WasmPlugin" && path.at(-1) === "url" &&
    /istio/i.test(now)
    ? {
      level: "check",
      message:
        "the module is one of Istio's, and may read properties that proxies here do not have",
      remedy: "Test it, or build one that reads Envoy's own properties.",
    }
    : undefined;

const proxyVersion: Rule = ({ scalar: { role }, object, path }) =>
  role === "value" && textAt(object, "kind") === "EnvoyFilter" && path.at(-1) === "proxyVersion" &&
    path.includes("match")
    ? {
      level: "check",
      message: "the pattern is for versions of Istio's proxies",
      remedy: "Remove it, or write one for the versions of Mesh.",
    }
    : undefined;

const image: Rule = ({ scalar: { role }, path, content }, now) => {
  const last = path.at(-1);
  if (role !== "value") return undefined;
  const isImage = last === "image" || String(last).endsWith("/proxyImage");
  if (isImage && isOwnImage(now)) {
    return {
      level: "lost",
      message: `${now} is an image of Istio's programs`,
      remedy: "Write the image of Mesh's program (docs/development.md#images), or image: auto.",
    };
  }
  if (last === "hub" && /istio/.test(now)) {
    return {
      level: "lost",
      message: `${now} holds images of Istio's programs`,
      remedy: "Write the registry to which images of Mesh were pushed.",
    };
  }
  if (last === "tag" && content === "values" && /^v?1\.\d+/.test(now)) return OLD_TAG;
  return undefined;
};

const OLD_TAG: Omit<Remark, "line" | "field"> = {
  level: "check",
  message: "the tag is one of Istio's images",
  remedy: "Write the version of Mesh.",
};

const operatorTag: Rule = ({ scalar: { role }, object, path }, now) =>
  role === "value" && textAt(object, "kind") === "IstioOperator" && path.at(-1) === "tag" &&
    /^v?1\.\d+/.test(now)
    ? OLD_TAG
    : undefined;

/** Anything else that has the name. Images of others, such as examples, are no names of the mesh. */
const kept: Rule = (place, now) => {
  const { scalar: { role }, path } = place;
  if (!/istio/i.test(now) || path.at(-1) === "image") return undefined;
  const what = role === "key" && isInLabels(place) ? "the key" : role === "key" ? "the field" : "";
  return {
    level: "check",
    message: `${what === "" ? "a text" : `${what} ${now}`} names istio and stays as it is`,
    remedy: "Change it by hand if it is a name of the mesh.",
  };
};

const RULES: readonly Rule[] = [
  collision,
  record,
  annotation,
  patch,
  wasm,
  proxyVersion,
  image,
  operatorTag,
  kept,
];
