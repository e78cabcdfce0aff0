// The health check of the container: exit 0 where the service of this machine answers GET /health.
const response = await fetch(`http://127.0.0.1:${Deno.env.get("PORT") || "8080"}/health`);
if (!response.ok) Deno.exit(1);
