/** Configuration of @hey-api/openapi-ts for a client that Node imports without a bundler. */
export default {
  input: "openapi.json",
  output: { path: "hey", module: { extension: ".js" } },
};
