import type { FlagSpec } from "./spec.ts";

/** The flags of the introspection listener. */
export const INTROSPECTION_FLAGS: readonly FlagSpec[] = [
  {
    name: "ctrlz_address",
    type: "string",
    default: "localhost",
    description: "Address of the introspection facility; * means all addresses",
  },
  {
    name: "ctrlz_port",
    type: "uint16",
    default: "9876",
    description: "Port of the introspection facility; 0 for none",
  },
];
