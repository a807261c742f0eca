/** DNS suffix of services with the default flags of a daemon. */
export const DOMAIN = "cluster.local";
