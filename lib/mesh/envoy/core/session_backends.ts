/**
 * The HTTP filter that adds the backend to sessions of routes with several backends.
 *
 * Envoy's sessions name an endpoint. They act inside the cluster of a request, which is chosen before. The script writes
 * `BACKEND.` before the value of the cookie or the header, so that routes can match it, and takes it off again
 * before the filter of sessions reads it. A value of another backend is removed: that session begins anew.
 *
 * @module
 */
import { LuaPerRouteSchema, LuaSchema } from "#envoy/extensions/filters/http/lua/v3/lua_pb.ts";
import { type Any, packAny } from "../../../kit/proto/mod.ts";
import type { RuleSession } from "../../model/mod.ts";

/** Its name; routes configure it by this name. */
export const SESSION_BACKEND_FILTER = "mesh.filters.http.session_backend";

/** Name of the script in the filter. */
const SCRIPT = "session";

const SOURCE = `
local function pattern(text) return (text:gsub("%W", "%%%0")) end

function envoy_on_request(handle)
  local session = handle:filterContext()
  local name, backend = session:get("name"), session:get("backend") .. "."
  local headers = handle:headers()
  if session:get("kind") == "header" then
    local value = headers:get(name)
    if value == nil then return end
    if value:sub(1, #backend) == backend then headers:replace(name, value:sub(#backend + 1))
    else headers:remove(name) end
    return
  end
  local cookies = headers:get("cookie")
  if cookies == nil then return end
  local kept = {}
  for cookie in cookies:gmatch("[^;]+") do
    cookie = cookie:match("^%s*(.-)%s*$")
    local quote, value = cookie:match("^" .. pattern(name) .. "=(\\"?)(.*)$")
    if value == nil then kept[#kept + 1] = cookie
    elseif value:sub(1, #backend) == backend then
      kept[#kept + 1] = name .. "=" .. quote .. value:sub(#backend + 1)
    end
  end
  if #kept == 0 then headers:remove("cookie") else headers:replace("cookie", table.concat(kept, "; ")) end
end

function envoy_on_response(handle)
  local session = handle:filterContext()
  local name, backend = session:get("name"), session:get("backend") .. "."
  local headers = handle:headers()
  if session:get("kind") == "header" then
    local value = headers:get(name)
    if value ~= nil then headers:replace(name, backend .. value) end
    return
  end
  local start = "^(" .. pattern(name) .. "=\\"?)"
  local values, changed = {}, false
  for i = 0, headers:getNumValues("set-cookie") - 1 do
    local value = headers:getAtIndex("set-cookie", i)
    local first, last = value:find(start)
    if first ~= nil then
      value = value:sub(1, last) .. backend .. value:sub(last + 1)
      changed = true
    end
    values[#values + 1] = value
  end
  if not changed then return end
  headers:remove("set-cookie")
  for _, value in ipairs(values) do headers:add("set-cookie", value) end
end
`;

/** The filter's configuration in listeners. */
export function sessionBackendFilter(): Any {
  const source = { specifier: { case: "inlineString" as const, value: SOURCE } };
  // The request stays on the route of its session, although its headers change.
  return packAny(LuaSchema, { sourceCodes: { [SCRIPT]: source }, clearRouteCache: false });
}

/** The filter's configuration for requests to a backend. */
export function backendOfSession({ kind, name }: RuleSession, backend: string): Any {
  return packAny(LuaPerRouteSchema, {
    override: { case: "name", value: SCRIPT },
    filterContext: { kind, name: kind === "header" ? name.toLowerCase() : name, backend },
  });
}
