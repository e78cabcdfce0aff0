/** Posts a form to the console; resolves with its answer. Throws an Error with the refusal. */
export function senderOf({ base, csrf }) {
  return async (path, form) => {
    const response = await fetch(`${base}${path}`, {
      method: "POST",
      headers: { "X-CSRF-Token": csrf, Accept: "application/json" },
      body: new URLSearchParams(form),
    });
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    if (response.redirected || !isJson) {
      throw new Error("The session has ended. Sign in again in another tab, then repeat this");
    }
    const body = await response.json();
    if (!response.ok) {
      const error = new Error(body.problem ?? "Cannot complete the request");
      throw Object.assign(error, { status: response.status, code: body.code });
    }
    return body;
  };
}
