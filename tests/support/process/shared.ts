/**
 * Shares one lab between the tests of a file, as its start costs more than they do. Returns a
 * function that runs a test with it. A failed test ends the lab, and the next one starts another.
 * To be called where a file declares its tests.
 */
export function shared<Lab extends AsyncDisposable>(
  start: () => Promise<Lab>,
): (body: (lab: Lab) => Promise<void>) => Promise<void> {
  let lab: Lab | undefined;

  async function end(): Promise<void> {
    const ending = lab;
    lab = undefined;
    await ending?.[Symbol.asyncDispose]();
  }

  Deno.test.afterAll(end);
  return async (body) => {
    lab ??= await start();
    try {
      await body(lab);
    } catch (error) {
      await end();
      throw error;
    }
  };
}
