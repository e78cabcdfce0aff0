/** How @hey-api/openapi-ts writes a client that Node imports without a bundler. */
export default {
  input: "openapi.json",
  output: { path: "hey", module: { extension: ".js" } },
};
