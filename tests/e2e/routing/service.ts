/** Host of the service that cases send to: subsets `v1` and `v2`, one backend each. */
export const SERVICE = "backends.test";

/** Host of a second service, with the backend `shadow`. */
export const SHADOW = "shadow.test";
