/**
 * Environment variables of the program: defaults of its flags.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../lib/kit/env/mod.ts";

const readers = ["meshctl"] as const;

/** Default of the flag `--meshNamespace`. */
export const MESHCTL_MESHNAMESPACE: EnvVar<string> = declareEnv({
  name: "MESHCTL_MESHNAMESPACE",
  type: "string",
  default: "mesh-system",
  doc: "Default of --meshNamespace.",
  readers,
});

/** Default of the flag `--xds-address`. */
export const MESHCTL_XDS_ADDRESS: EnvVar<string | undefined> = declareEnv({
  name: "MESHCTL_XDS_ADDRESS",
  type: "string",
  doc: "Default of --xds-address.",
  readers,
});

/** Default of the flag `--xds-port`. */
export const MESHCTL_XDS_PORT: EnvVar<number> = declareEnv({
  name: "MESHCTL_XDS_PORT",
  type: "int",
  default: 15012,
  doc: "Default of --xds-port.",
  readers,
});

/** Default of the flag `--cert-dir`. */
export const MESHCTL_CERT_DIR: EnvVar<string | undefined> = declareEnv({
  name: "MESHCTL_CERT_DIR",
  type: "string",
  doc: "Default of --cert-dir.",
  readers,
});

/** Default of the flag `--authority`. */
export const MESHCTL_AUTHORITY: EnvVar<string | undefined> = declareEnv({
  name: "MESHCTL_AUTHORITY",
  type: "string",
  doc: "Default of --authority.",
  readers,
});

/** Default of the flag `--insecure`. */
export const MESHCTL_INSECURE: EnvVar<boolean> = declareEnv({
  name: "MESHCTL_INSECURE",
  type: "bool",
  default: false,
  doc: "Default of --insecure.",
  readers,
});

/** Default of the flag `--plaintext`. */
export const MESHCTL_PLAINTEXT: EnvVar<boolean> = declareEnv({
  name: "MESHCTL_PLAINTEXT",
  type: "bool",
  default: false,
  doc: "Default of --plaintext.",
  readers,
});

/** Replaces commands by their experimental form. */
export const MESHCTL_PREFER_EXPERIMENTAL: EnvVar<boolean> = declareEnv({
  name: "MESHCTL_PREFER_EXPERIMENTAL",
  type: "bool",
  default: false,
  doc: "Run the experimental form of a command where there is one.",
  readers,
});

/** The configuration file. */
export const MESHCONFIG: EnvVar<string | undefined> = declareEnv({
  name: "MESHCONFIG",
  type: "string",
  doc: "Configuration file of meshctl; default `$HOME/.meshctl/config.yaml`.",
  readers,
});
